/**
 * `npm run test:cluster:pgbouncer`: the service behind pgbouncer in transaction mode, with the settings
 * of `src/deploy/pgbouncer.ini` and as the guide starts it, on the PostgreSQL that npm brings.
 * Options by environment: PGBOUNCER (the program, 1.21 or newer), CLUSTER_REQUESTS (5000),
 * CLUSTER_KEEP (any value leaves the logs where they are).
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import type { Request } from '../bench/operations/operation.ts';
import { send, stopTarget } from '../bench/processes.ts';
import { blocksOf, environmentOf } from '../kit/guides.ts';
import { type Clients, migrate, Outcome, populate, startService, tell, write } from './crm.ts';
import { Place } from './programs.ts';

const program = process.env.PGBOUNCER ?? 'pgbouncer';
const requests = Number(process.env.CLUSTER_REQUESTS ?? 5000);
const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(run('--version')) ?? [];
if (Number(major) === 1 && Number(minor) < 21) {
  throw new Error(
    `pgbouncer ${major}.${minor} keeps no prepared statements: PGBOUNCER names a newer`,
  );
}
console.log(run('--version').split('\n')[0]);

const place = await Place.open(process.execPath);
const postgres = await startEmbedded(place.at('postgres'));
try {
  await measure();
} finally {
  await postgres.stop();
  await place.close();
}

function run(...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' });
}

/** The settings as they ship, but for where things are. */
async function settings(port: number): Promise<string> {
  const server = new URL(postgres.url);
  await writeFile(place.at('userlist.txt'), `"crm" "${server.password}"\n`);
  const shipped = await readFile(
    new URL('../../src/deploy/pgbouncer.ini', import.meta.url),
    'utf8',
  );
  const path = place.at('pgbouncer.ini');
  await writeFile(
    path,
    shipped
      .replace('port=5432', `port=${server.port}`)
      .replace(/^listen_port.*$/m, `listen_port = ${port}`)
      .replace(/^auth_file.*$/m, `auth_file = ${place.at('userlist.txt')}`),
  );
  return path;
}

async function measure(): Promise<void> {
  const port = await freePort();
  const path = await settings(port);
  const { password, host } = new URL(postgres.url);
  const [block = ''] = blocksOf('src/docs/how-to/pgbouncer.md', 'sh');
  const env = environmentOf(block, {
    'crm@': `crm:${password}@`,
    'pgbouncer.example.com:6432': `127.0.0.1:${port}`,
    'db.example.com:5432': host,
  });
  const migrated = await migrate(env);
  tell(`migrated while there is no pgbouncer: ${migrated}`, migrated.includes('"current":true'));
  const account = await populate(postgres.url);
  let pooler = await place.start('pgbouncer', program, [path], port);
  const admin = new pg.Client({ connectionString: postgres.url });
  // Where the run fails it may outlive PostgreSQL.
  admin.on('error', () => undefined);
  await admin.connect();

  const refused = await startService(place.at('crm'), env).catch(() => undefined);
  tell('nothing limits its statements: the service does not start', refused === undefined);
  const log = await readFile(place.at('crm.log'), 'utf8');
  const cures = log.match(/^ {2}ALTER ROLE .*;$/gm) ?? [];
  console.log(`it asks for\n${cures.join('\n')}`);
  for (const cure of cures) await admin.query(cure);
  // Sessions that are there already have the old settings.
  await pooler.kill('SIGTERM');
  pooler = await place.start('pgbouncer', program, [path], port);

  const service = await startService(place.at('crm'), env);
  const clients = { ...account, ports: [service.port] };
  try {
    await mixed(clients);
    await limits(clients, admin);
    const outcome = new Outcome();
    const stop = write(clients, outcome, 16);
    for (let round = 1; round <= 5; round += 1) {
      await sleep(500);
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'crm' AND pid <> pg_backend_pid()",
      );
      await sleep(500);
      await pooler.kill();
      pooler = await place.start('pgbouncer', program, [path], port);
    }
    await sleep(1000);
    await stop();
    console.log('all backends ended and pgbouncer killed, five times each, under sixteen writers');
    await outcome.tellLost(postgres.url);
  } finally {
    await stopTarget(service);
    await admin.end();
  }
}

/** Reads and writes of all kinds, each answered by whichever connection is free. */
async function mixed({ ports: [port = 0], token, accountId }: Clients): Promise<void> {
  const at = `/api/v1/accounts/${accountId}`;
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
  });
  const kinds = [
    (n: number) => post(`${at}/contacts`, { email: `m${n}@cluster.example` }),
    (n: number) => post(`${at}/contacts/upsert`, { email: `m${n % 40}@cluster.example` }),
    (n: number) => ({
      ...post(`${at}/contacts`, { email: `k${n}@cluster.example` }),
      key: `c${n}`,
    }),
    // A transaction, and what was answered before.
    (n: number) => ({
      ...post(`${at}/contacts/upsert`, { email: `m${n % 40}@cluster.example` }),
      key: `u${n % 800}`,
    }),
    () => post(`${at}/contacts/search`, { query: { full_name_cont: 'a' }, per_page: 5 }),
    () => post(`${at}/deals/search`, { query: { status_eq: 'open' } }),
    (): Request => ({ method: 'GET', path: `${at}/me` }),
    () =>
      post('/graphql', {
        query: `{ deals(account_id: ${accountId}) { data { name contact { full_name } } } }`,
      }),
    (n: number) =>
      post('/graphql', {
        query: `{ deals(account_id: ${accountId}, per_page: ${1 + (n % 97)}) { data { id } } }`,
      }),
  ];
  const outcome = new Outcome();
  let next = 0;
  const sender = async () => {
    for (let n = next++; n < requests; n = next++) {
      const began = performance.now();
      const request = kinds[n % kinds.length]?.(n);
      const answer = request && (await send(port, request, token).catch(() => undefined));
      const failed = answer?.text.startsWith('{"errors"') || answer?.text.startsWith('{"error"');
      outcome.count(
        failed && answer?.status === 200 ? 'errors' : (answer?.status ?? 'none'),
        began,
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, sender));
  tell(`${requests} requests, none failed: ${outcome}`, outcome.isOnly(/^20[01]$/));
}

/** A write that waits for a lock is given up, by its request and by PostgreSQL. */
async function limits({ ports: [port = 0], token, accountId }: Clients, admin: pg.Client) {
  await admin.query('BEGIN; LOCK TABLE contacts');
  const began = performance.now();
  const path = `/api/v1/accounts/${accountId}/contacts`;
  const { status } = await send(
    port,
    { method: 'POST', path, body: '{"email":"l@l.example"}' },
    token,
  );
  const ms = performance.now() - began;
  const { rows } = await admin.query(
    "SELECT FROM pg_stat_activity WHERE usename = 'crm' AND wait_event_type = 'Lock'",
  );
  await admin.query('ROLLBACK');
  tell(
    `a write behind a lock: ${status} after ${ms.toFixed(0)} ms, ${rows.length} statements still wait`,
    status === 503 && ms < 2000 && rows.length === 0,
  );
}
