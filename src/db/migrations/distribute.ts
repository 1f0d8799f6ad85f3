/** Spreading the accounts over the servers of a Citus cluster. */
import pg from 'pg';
import { internal, tables } from '../../generated/shapes.ts';
import { renewIncarnation } from './incarnation.ts';

/**
 * Tables that every server has a copy of: accounts, and those that are also looked up without knowing
 * the account, by an e-mail address, a token, a cookie or the code of a link, and the service's own.
 */
export const referenceTables: readonly string[] = [
  'accounts',
  'users',
  'api_tokens',
  'sessions',
  'sign_in_codes',
  'sign_in_attempts',
  'signing_secrets',
];

/** Tables whose rows are kept where their account is. */
export const distributedTables: readonly string[] = [...Object.keys(tables), ...internal].filter(
  (table) => !referenceTables.includes(table),
);

/** Why a database cannot be distributed, in words for an operator. */
export class CannotDistribute extends Error {}

export interface Distribution {
  /** Tables that this call distributed; none when all of them were. */
  readonly distributed: readonly string[];
  /** How many servers hold accounts. */
  readonly servers: number;
  /** In how many parts the accounts are spread. */
  readonly shards: number;
}

/**
 * Distributes what is not distributed yet, rows included, in one transaction: where it ends early
 * nothing has happened, and it can be run again. Writers wait meanwhile.
 * @param url the coordinator's database, migrated
 * @throws {CannotDistribute} when it is not the coordinator of a cluster with other servers
 */
export async function distribute(url: string): Promise<Distribution> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'crm distribute',
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const servers = await countServers(client);
    const distributed = await distributeMissing(client);
    await dropLocalRows(client);
    const { rows } = await client.query<{ shards: number }>(
      `SELECT count(*)::integer AS shards FROM pg_dist_shard WHERE logicalrelid = 'contacts'::regclass`,
    );
    return { distributed, servers, shards: rows[0]?.shards ?? 0 };
  } finally {
    await client.end();
  }
}

async function countServers(client: pg.Client): Promise<number> {
  const { rows: extensions } = await client.query(
    "SELECT FROM pg_extension WHERE extname = 'citus'",
  );
  if (extensions.length === 0) {
    throw new CannotDistribute(
      'There is no Citus in this database: CREATE EXTENSION citus, here and on the other servers',
    );
  }
  const { rows } = await client.query<{ is_coordinator: boolean; servers: number }>(
    `SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS is_coordinator,
       (SELECT count(*)::integer FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary') AS servers`,
  );
  const { is_coordinator = false, servers = 0 } = rows[0] ?? {};
  if (!is_coordinator) throw new CannotDistribute('This is not the coordinator of the cluster');
  if (servers === 0) {
    throw new CannotDistribute(
      "The cluster has no server for accounts: SELECT citus_add_node('host', 5432) for each",
    );
  }
  return servers;
}

interface Key {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

async function distributeMissing(client: pg.Client): Promise<readonly string[]> {
  await client.query('BEGIN');
  try {
    // One after the other, so that all servers see the same transaction.
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SET LOCAL client_min_messages = warning');
    // Ours look at nothing but their row.
    await client.query('SET LOCAL citus.enable_unsafe_triggers = on');
    const missing = await lockMissing(client);
    if (missing.includes('audit_entries')) await renewIncarnation(client);
    const keys = await dropKeys(client, missing);
    for (const table of missing) {
      const isReference = referenceTables.includes(table);
      // Accounts have all their rows on one server: every table is spread as the first is.
      const beside = table === 'contacts' ? 'none' : 'contacts';
      await (isReference
        ? client.query('SELECT create_reference_table($1)', [table])
        : client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
            table,
            'account_id',
            beside,
          ]));
    }
    for (const { table, name, definition } of keys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    }
    await distributeFunctions(client);
    await client.query('COMMIT');
    return missing;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Functions that read what the account's server has: it asks itself, within what it was asked. */
const reading = [
  'position_among_pieces(bigint, bigint, double precision, double precision[], integer[], double precision[])',
  'rank_among_pieces(bigint, bigint, bigint, double precision[], integer[], double precision[])',
];

async function distributeFunctions(client: pg.Client): Promise<void> {
  // Citus writes with no volatile function. The clock goes on until the coordinator sends the write.
  await client.query('ALTER FUNCTION moment() STABLE');
  for (const each of ['moment()', ...reading]) {
    await client.query('SELECT create_distributed_function($1::regprocedure)', [each]);
  }
  for (const each of reading) {
    await client.query(`ALTER FUNCTION ${each} SET citus.allow_nested_distributed_execution = on`);
    // It plans what they read for values that it knows, and refuses to do so once for all.
    await client.query(`ALTER FUNCTION ${each} RESET plan_cache_mode`);
  }
}

/** Locks our tables against writers and says which are not distributed; references come first. */
async function lockMissing(client: pg.Client): Promise<readonly string[]> {
  const ours = await existingTables(client, [
    ...referenceTables,
    ...first('contacts', distributedTables),
  ]);
  await client.query(`LOCK TABLE ${ours.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
  const { rows } = await client.query<{ table: string }>(
    `SELECT table_name::text AS table FROM citus_tables WHERE citus_table_type IN ('reference', 'distributed')`,
  );
  const known = new Set(rows.map(({ table }) => table));
  return ours.filter((table) => !known.has(table));
}

/** Those that the database has: the migration that makes one of the others distributes it. */
async function existingTables(
  client: pg.Client,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS names (name, place)
     WHERE to_regclass(name) IS NOT NULL ORDER BY place`,
    [names],
  );
  return rows.map(({ name }) => name);
}

const first = (one: string, all: readonly string[]) => [one, ...all.filter((each) => each !== one)];

/**
 * Drops the keys from and to tables that are still to be distributed, because Citus takes none
 * between a table that is and one that is not yet.
 */
async function dropKeys(client: pg.Client, missing: readonly string[]): Promise<readonly Key[]> {
  const { rows } = await client.query<Key>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[]))`,
    [missing],
  );
  for (const { table, name } of rows) {
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  }
  return rows;
}

/** The rows that the coordinator itself still keeps, unseen, once they are distributed. */
async function dropLocalRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT logicalrelid::text AS table FROM pg_dist_partition
     WHERE partmethod IN ('h', 'n') AND pg_relation_size(logicalrelid) > 0`,
  );
  for (const { table } of rows) {
    await client.query('SELECT truncate_local_data_after_distributing_table($1)', [table]);
  }
}
