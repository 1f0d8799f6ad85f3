/** A cluster that an earlier version distributed, and what later migrations make of it. */
import { readdir } from 'node:fs/promises';
import {
  distribute,
  distributedTables,
  referenceTables,
} from '../../src/db/migrations/distribute.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { foldRows, keyContacts } from '../../src/resources/folding/fold_rows.ts';
import { ask } from './ask.ts';
import { tell } from './crm.ts';

const migrations = new URL('../../prisma/migrations/', import.meta.url);

/** Migrations before this one are there when the cluster is distributed, all others come later. */
const firstLater = '20261129';

/** @param url of an empty database that the coordinator and its workers have joined */
export async function upgradeDistributed(url: string): Promise<void> {
  const names = await readdir(migrations);
  await migrate(url, { only: names.filter((name) => name < firstLater) });
  for (const statement of rowsOf('before')) await ask(url, statement);
  await distribute(url);
  const applied = await migrate(url);
  console.log(`${applied.length} migrations applied to a distributed database`);
  for (const statement of rowsOf('after')) await ask(url, statement);

  const rows = await ask(url, 'SELECT table_name::text, citus_table_type FROM citus_tables');
  const types = new Map(rows.map((row) => [row['table_name'], row['citus_table_type']]));
  const misplaced = [
    ...referenceTables.filter((table) => types.get(table) !== 'reference'),
    ...distributedTables.filter((table) => types.get(table) !== 'distributed'),
  ];
  tell(`tables that are not where they belong: ${misplaced.join(', ')}`, misplaced.length === 0);

  const [planned] = await ask(
    url,
    `SELECT string_agg(DISTINCT result, ', ') AS once FROM run_command_on_all_nodes(
       $$SELECT count(*) FROM pg_proc WHERE proname ~ '_among_pieces$' AND proconfig::text ~ 'plan_cache_mode'$$)`,
  );
  tell(`places that are planned once for all: ${planned?.['once']}`, planned?.['once'] === '0');

  const written = await unfinished(url);
  tell(`triggers have seen none but later rows: ${written}`, written === '1 of 2, 1 of 2, 1 of 2');
  const database = await openDatabase({ url });
  await foldRows(database).do(new Date());
  await keyContacts(database).do(new Date());
  await database.close();
  const refreshed = await unfinished(url);
  tell(`earlier ones follow: ${refreshed}`, refreshed === '0 of 2, 0 of 2, 0 of 2');
}

function rowsOf(account: string): readonly string[] {
  const within = `FROM accounts WHERE name = '${account}'`;
  return [
    `INSERT INTO accounts (name) VALUES ('${account}')`,
    `INSERT INTO users (account_id, full_name, email, role, updated_at) SELECT id, 'Zoë', '${account}@cluster.example', 'admin', now() ${within}`,
    `INSERT INTO contacts (account_id, full_name, email, phone) SELECT id, 'João', 'joao@cluster.example', '' ${within}`,
    `INSERT INTO products (account_id, name) SELECT id, 'Küche' ${within}`,
  ];
}

/** How many contacts, products and users lack what triggers write. */
async function unfinished(url: string): Promise<string> {
  const counts: string[] = [];
  for (const [table, column] of [
    ['contacts', 'folded || name_key'],
    ['products', 'folded'],
    ['users', 'folded'],
  ]) {
    const [row] = await ask(
      url,
      `SELECT count(*)::int AS rows, count(*) FILTER (WHERE ${column} IS NULL)::int AS lacking FROM ${table}`,
    );
    counts.push(`${row?.['lacking']} of ${row?.['rows']}`);
  }
  return counts.join(', ');
}
