import pg from 'pg';

/** A table as COPY names it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * What is copied: every table but the history of migrations, and what tells this database from others,
 * which a restored one makes itself.
 */
const copied = `relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  AND NOT relispartition AND relname NOT IN ('_prisma_migrations', 'incarnations')`;

/** All tables, each behind those that it refers to. */
export async function readTables(client: pg.Client): Promise<readonly Table[]> {
  const { rows: tables } = await client.query<Table>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE ${copied} AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname ORDER BY relname`,
  );
  const { rows: references } = await client.query<{ name: string; target: string }>(
    `SELECT DISTINCT one.relname AS name, other.relname AS target
     FROM pg_constraint JOIN pg_class AS one ON one.oid = conrelid
     JOIN pg_class AS other ON other.oid = confrelid
     WHERE contype = 'f' AND conrelid <> confrelid`,
  );
  const ordered = new Set<Table>();
  const place = (table: Table, above: readonly string[]) => {
    if (above.includes(table.name)) return;
    for (const { target } of references.filter(({ name }) => name === table.name)) {
      const other = tables.find(({ name }) => name === target);
      if (other) place(other, [...above, table.name]);
    }
    ordered.add(table);
  };
  for (const table of tables) place(table, []);
  return [...ordered];
}

/** Where a sequence goes on. */
export interface Sequence {
  readonly name: string;
  /** An integer of 64 bits. */
  readonly last_value: string;
  readonly is_called: boolean;
}

/** All sequences of the schema `public`, by their names. */
export async function readSequences(client: pg.Client): Promise<readonly Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY relname`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const { rows: found } = await client.query<Omit<Sequence, 'name'>>(
      `SELECT last_value::text, is_called FROM ${quoted(name)}`,
    );
    for (const state of found) sequences.push({ name, ...state });
  }
  return sequences;
}

/** A migration that a database has seen. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** @returns none of a database that was never migrated */
export async function readApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    "SELECT to_regclass('_prisma_migrations') AS name",
  );
  if (tables[0]?.name === null) return [];
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);

/** `"contacts" ("id", "account_id", …)`, as COPY wants it. */
export const copyTarget = ({ name, columns }: Table): string =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`;

/**
 * Columns that count transactions of this server, of which another one begins anew: what is copied
 * of each.
 */
const ofServer: ReadonlyMap<string, string> = new Map([['change_order', '0']]);

/** `(SELECT "id", "account_id", … FROM "contacts")`, likewise. */
export const copySource = ({ name, columns }: Table): string =>
  `(SELECT ${columns.map((column) => ofServer.get(column) ?? quoted(column)).join(', ')} FROM ${quoted(name)})`;
