/** `crm distribute`, killed before it has come to its end: by then nothing or all has happened. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { distributedTables, referenceTables } from '../../src/db/migrations/distribute.ts';
import { ask } from './ask.ts';
import type { CitusServer } from './citus_servers.ts';
import { migrate, populate, secret, tell } from './crm.ts';

const contacts = 20_000;

/** For how many milliseconds it is left alone the first time before it is killed, and how many times longer each next time. */
const firstMs = 700;
const growth = 1.2;

const tables = [...referenceTables, ...distributedTables];

/**
 * Kills the command later each time until it ends by itself, and kills the coordinator instead
 * every third time.
 * @param url of an empty database that the coordinator and its workers have joined
 */
export async function distributeKilled(coordinator: CitusServer, url: string): Promise<void> {
  await migrate({ DATABASE_URL: url });
  const { accountId } = await populate(url);
  await ask(
    url,
    `INSERT INTO contacts (account_id, full_name) SELECT ${accountId}, 'contact ' || i FROM generate_series(1, ${contacts}) AS i`,
  );
  const before = await contents(url);
  const found: number[] = [];
  let kept = true;
  for (let times = 1; ; times += 1) {
    const command = spawn(process.execPath, ['dist/cli/main.js', 'distribute'], {
      env: { ...process.env, JWT_SECRET: secret, DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(command, 'exit');
    const isOver = await Promise.race([
      ended.then(() => true),
      sleep(firstMs * growth ** (times - 1), false),
    ]);
    if (!isOver) await kill(command, times % 3 === 0 ? coordinator : undefined);
    await ended;
    await settled(url);
    found.push(await countDistributed(url));
    kept &&= (await contents(url)) === before;
    if (isOver && command.exitCode === 0) break;
  }
  console.log(`tables distributed after each kill, and in the end: ${found.join(', ')}`);
  const isWhole = found.every((count) => count === 0 || count === tables.length);
  tell('a distribution that is killed has not happened or all of it has', isWhole);
  tell('no row is lost or changed by it', kept);
}

async function kill(command: ChildProcess, coordinator?: CitusServer): Promise<void> {
  if (coordinator) {
    await coordinator.kill();
    await coordinator.start();
  }
  command.kill('SIGKILL');
}

/** Until the server has ended what the command began, and decided what it had prepared. */
async function settled(url: string): Promise<void> {
  const left = `SELECT FROM pg_stat_activity WHERE application_name = 'crm distribute'`;
  while ((await ask(url, left)).length > 0) await sleep(50);
  await ask(url, 'SELECT recover_prepared_transactions()');
}

const countDistributed = async (url: string): Promise<number> =>
  (
    await ask(
      url,
      `SELECT FROM citus_tables WHERE citus_table_type IN ('reference', 'distributed')
         AND table_name::text IN (${tables.map((table) => `'${table}'`)})`,
    )
  ).length;

/** The rows of all tables, as a sum; without the places of changes, which begin anew on a cluster. */
async function contents(url: string): Promise<string> {
  const sums: string[] = [];
  for (const table of tables) {
    const rows = `SELECT (to_jsonb(t) - 'change_order')::text AS row FROM ${table} AS t OFFSET 0`;
    const sum = `SELECT md5(string_agg(row, ' ' ORDER BY row)) AS sum FROM (${rows}) AS rows`;
    const [row] = await ask(url, sum);
    sums.push(`${table} ${row?.['sum']}`);
  }
  return sums.join();
}
