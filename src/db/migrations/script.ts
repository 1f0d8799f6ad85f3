import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * How long a migration waits for a lock, in milliseconds. Everybody else who wants the table waits behind it,
 * and a statement of the service waits for twice as long before it gives up.
 */
const lockMs = 500;

/** The pause before it tries again, in which those that waited are served, in milliseconds. */
const pauseMs = 500;

/** How a migration of one statement begins that builds or drops an index while its table is in use. */
const concurrent =
  /^(?<verb>CREATE|DROP)(?: UNIQUE)? INDEX CONCURRENTLY (?:IF (?:NOT )?EXISTS )?"(?<index>\w+)"/;

/** The first line of a script that is neither blank nor a comment. */
const firstLine = (script: string): string =>
  script.split('\n').find((line) => line.trim() !== '' && !line.startsWith('--')) ?? '';

/** The extensions without which a migration does nothing, where the server may lack them. */
const needs = /^-- needs: (\w+(?:, \w+)*)$/m;

/** The table without which it does nothing: a month of the audit trail may be kept no more. */
const needsTable = /^-- needs table: (\w+)$/m;

/**
 * Sends a migration to be done whole or not at all, whenever this process or the server may be killed.
 * An index that is built concurrently cannot be, but is taken up by the next call where it was left.
 * @param record SQL that takes effect together with a migration that is done whole
 * @throws {pg.DatabaseError} when it fails, and nothing of it is left
 */
export async function runScript(pool: pg.Pool, script: string, record = ''): Promise<void> {
  if (!(await isPossible(pool, script))) return;
  const { verb, index } = concurrent.exec(firstLine(script).trimStart())?.groups ?? {};
  const whole = statementsOf(`SET LOCAL lock_timeout = ${lockMs};\n${script}\n;${record}`);
  await persist(async () => {
    if (verb === 'CREATE' && index !== undefined) return build(pool, index, script);
    if (verb === 'DROP') await pool.query(script);
    else await inTransaction(pool, whole);
  });
}

/** What a statement consists of: bodies of functions, texts, names, comments, and the rest up to its end. */
const statement = /(?:\$\$[\s\S]*?\$\$|'[^']*'|"[^"]*"|--.*|[^;])+/g;

/** The statements of a script as our migrations are written: with no other quotes than `$$`, `'` and `"`. */
export const statementsOf = (script: string): readonly string[] =>
  (script.match(statement) ?? []).filter((text) => /^(?!\s*(?:--|$))/m.test(text));

/**
 * One after the other: Citus passes a query on to its servers whole, and takes one command in it.
 * @param pool the one connection of a migration (`openConnection`)
 */
async function inTransaction(pool: pg.Pool, statements: readonly string[]): Promise<void> {
  try {
    await pool.query('BEGIN');
    for (const text of statements) await pool.query(text);
    await pool.query('COMMIT');
  } catch (error) {
    await pool.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Tries again what did not get its locks: nothing of it was done. */
async function persist(attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const passes = error instanceof pg.DatabaseError && /^(55P03|40P01)$/.test(error.code ?? '');
      if (!passes) throw error;
    }
    await sleep(pauseMs);
  }
}

async function build(pool: pg.Pool, index: string, script: string): Promise<void> {
  if (await isBuilt(pool, index)) return;
  try {
    await pool.query(script);
  } catch (error) {
    // What cannot be dropped now is dropped before the next attempt.
    await dropIndex(pool, index).catch(() => undefined);
    throw error;
  }
}

async function isPossible(pool: pg.Pool, script: string): Promise<boolean> {
  const [, table] = needsTable.exec(script) ?? [];
  if (table !== undefined && !(await isTable(pool, table))) return false;
  const names = needs.exec(script)?.[1]?.split(', ') ?? [];
  if (names.length === 0) return true;
  const { rowCount } = await pool.query({
    text: 'SELECT FROM pg_extension WHERE extname = ANY ($1)',
    values: [names],
  });
  return rowCount === names.length;
}

async function isTable(pool: pg.Pool, table: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_there: boolean }>({
    text: 'SELECT to_regclass($1) IS NOT NULL AS is_there',
    values: [table],
  });
  return rows[0]?.is_there === true;
}

/**
 * Whether an index is there and complete. One that a crash left behind half-made costs every write and
 * serves no search: it is dropped.
 */
async function isBuilt(pool: pg.Pool, index: string): Promise<boolean> {
  const { rows } = await pool.query<{ valid: boolean }>({
    text: 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    values: [`"${index}"`],
  });
  if (rows[0]?.valid === false) await dropIndex(pool, index);
  return rows[0]?.valid === true;
}

const dropIndex = (pool: pg.Pool, index: string) =>
  pool.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
