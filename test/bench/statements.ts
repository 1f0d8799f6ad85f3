/** What a request makes the database do, counted outside the timed rounds. */
import { readFileSync, statSync } from 'node:fs';
import { raw, sql } from '../../src/db/sql/sql.ts';
import type { Bench } from './database.ts';

export interface Effects {
  /** SQL statements, BEGIN and COMMIT among them. */
  readonly statements: number;
  /** Rows that there are more of in each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** What was noted of changes, each kind once: the action, and the kinds of values before and after. */
  readonly entries: readonly string[];
}

const tables = ['audit_entries', 'contacts', 'deal_products', 'deals', 'events'];

/** By PostgreSQL's own log, which knows whatever any program sends. */
export async function effectsOf(
  { db, log, account }: Bench,
  work: () => Promise<void>,
): Promise<Effects> {
  const before = await counts();
  await db.query(raw("ALTER SYSTEM SET log_statement = 'all'"));
  await db.query(raw('SELECT pg_reload_conf()'));
  const start = await mark('the count begins');
  await work();
  const end = await mark('the count ends');
  await db.query(raw('ALTER SYSTEM RESET log_statement'));
  await db.query(raw('SELECT pg_reload_conf()'));
  const text = readFileSync(log, 'latin1').slice(start, end);
  const after = await counts();
  const rows = Object.fromEntries(
    tables.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)]),
  );
  return {
    // The lines in which a text goes on begin with a tab.
    statements: text.match(/^\S.* LOG: {2}(statement|execute [^:]*): /gm)?.length ?? 0,
    rows,
    entries: await noted(rows.audit_entries ?? 0),
  };

  /** @returns where the log has it, once PostgreSQL has begun to log */
  async function mark(name: string): Promise<number> {
    const from = statSync(log).size;
    for (let attempt = 0; attempt < 1000; attempt++) {
      // Values of parameters are not logged.
      await db.query(raw(`SELECT '${name}'`));
      const text = readFileSync(log, 'latin1');
      if (!text.slice(from).includes(name)) continue;
      return name.endsWith('begins') ? text.length : from;
    }
    throw new Error('PostgreSQL does not log its statements');
  }

  async function noted(count: number): Promise<readonly string[]> {
    const entries = await db.query<{ action: string; before: string; after: string }>(
      sql`SELECT action, coalesce(before, 'null') AS before, coalesce(after, 'null') AS after
          FROM audit_entries WHERE account_id = ${account} ORDER BY id DESC LIMIT ${count}`,
    );
    const kinds = entries.map(({ action, before, after }) =>
      [action, kindsIn(JSON.parse(before)), kindsIn(JSON.parse(after))].join(' '),
    );
    return [...new Set(kinds)].sort();
  }

  async function counts(): Promise<Record<string, number>> {
    const columns = tables.map(
      (table) => `(SELECT count(*) FROM ${table} WHERE account_id = ${account}) AS ${table}`,
    );
    const [row] = await db.query<Record<string, number>>(raw(`SELECT ${columns.join(', ')}`));
    return row ?? {};
  }
}

/** The names in an object, with the kinds of their values. */
function kindsIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (Array.isArray(value)) return 'list';
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${kindsIn(inner)}`);
  return `{ ${members.sort().join(', ')} }`;
}
