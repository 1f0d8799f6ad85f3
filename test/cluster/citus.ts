/**
 * `npm run test:cluster:citus`: a coordinator and two workers, each killed three times under
 * writers; what becomes of a distribution that is killed, and of a distributed database that is
 * upgraded; what single reads and searches cost; where changes can be told while one is prepared;
 * then the suite on them. Options by environment:
 * CITUS_SOURCE (a folder: builds and installs Citus first), PG_BINARIES (of the PostgreSQL that has
 * it), CLUSTER_KILLS (3 of each), CLUSTER_ONLY (distribute, upgrade, reads, prepared, kills,
 * speed or suite), CLUSTER_KEEP (any value leaves the logs where they are).
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { send, stopTarget } from '../bench/processes.ts';
import { blocksOf } from '../kit/guides.ts';
import { ask } from './ask.ts';
import { distributeKilled } from './citus_distribute.ts';
import { binaries, CitusServer, installCitus, requireCitus } from './citus_servers.ts';
import { compare } from './citus_speed.ts';
import { runSuite } from './citus_suite.ts';
import { upgradeDistributed } from './citus_upgrade.ts';
import {
  type Clients,
  migrate,
  Outcome,
  populate,
  secret,
  startService,
  tell,
  write,
} from './crm.ts';
import { Place } from './programs.ts';

const run = promisify(execFile);
const guide = 'src/docs/how-to/citus.md';
const kills = Number(process.env['CLUSTER_KILLS'] ?? 3);
const only = process.env['CLUSTER_ONLY'];
const measured = ['reads', 'prepared', 'speed', 'kills'];
const isAsked = (part: string) => only === undefined || only === part;

const source = process.env['CITUS_SOURCE'];
if (source !== undefined) await installCitus(source);
await requireCitus();
const place = await Place.open(`${binaries}/postgres`);
try {
  const coordinator = await CitusServer.start(place, 'coordinator');
  const workers = [
    await CitusServer.start(place, 'worker1'),
    await CitusServer.start(place, 'worker2'),
  ];
  if (isAsked('distribute')) {
    await distributeKilled(coordinator, await joined(coordinator, workers, 'killed'));
  }
  if (isAsked('upgrade')) await upgradeDistributed(await joined(coordinator, workers, 'upgraded'));
  if (only === undefined || measured.includes(only)) await measure(coordinator, workers);
  if (isAsked('suite')) {
    const urls = workers.map((worker) => worker.url('postgres'));
    tell('the suite', await runSuite(coordinator.url('postgres'), urls));
  }
} finally {
  await place.close();
}

/** @returns the coordinator's URL of a new database of that name on all of them */
async function joined(
  coordinator: CitusServer,
  workers: readonly CitusServer[],
  database: string,
): Promise<string> {
  for (const server of [coordinator, ...workers]) {
    await ask(server.url('postgres'), `CREATE DATABASE ${database}`);
  }
  const url = coordinator.url(database);
  const [extension = '', nodes = ''] = blocksOf(guide, 'sql');
  for (const server of [coordinator, ...workers]) await ask(server.url(database), extension);
  const [first = '', ...rest] = nodes.trimEnd().split('\n');
  await ask(url, first.replace("'10.0.0.1'", `'127.0.0.1', ${coordinator.port}`));
  for (const { port } of workers) {
    await ask(url, rest.join('\n').replace("'10.0.0.2', 5432", `'127.0.0.1', ${port}`));
  }
  return url;
}

/** Migrates and distributes a database by the guide's commands. */
async function spread(url: string): Promise<void> {
  const [commands = ''] = blocksOf(guide, 'sh');
  await run('sh', ['-ec', commands], {
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET: secret },
  });
}

async function measure(coordinator: CitusServer, workers: readonly CitusServer[]): Promise<void> {
  const url = await joined(coordinator, workers, 'crm');
  await spread(url);
  const account = await populate(url);
  const services = [
    await startService(place.at('crm1'), { DATABASE_URL: url }),
    await startService(place.at('crm2'), { DATABASE_URL: url }),
  ];
  const clients = { ...account, ports: services.map((service) => service.port) };
  try {
    if (isAsked('reads')) await read(url, clients);
    if (isAsked('prepared')) await prepare(url, workers[0]?.url('crm') ?? '');
    if (isAsked('speed')) await besideOneAlone(clients);
    if (isAsked('kills')) {
      for (const server of [...workers, coordinator]) await kill(server, url, clients);
    }
  } finally {
    await Promise.all(services.map(stopTarget));
  }
}

/**
 * Holds back the commit of what the coordinator has committed, as a connection that breaks in
 * between does.
 */
async function prepare(url: string, worker: string): Promise<void> {
  const [{ groupid } = { groupid: 0 }] = await ask(
    url,
    `SELECT groupid FROM pg_dist_node WHERE nodeport = ${Number(new URL(worker).port)}`,
  );
  const gid = 'held_back';
  const known = `INSERT INTO pg_dist_transaction (groupid, gid) VALUES (${groupid}, '${gid}')`;
  const [{ xid } = { xid: '' }] = await ask(
    url,
    `WITH known AS (${known}) SELECT pg_current_xact_id()::text AS xid`,
  );
  const isOpen = async () => {
    const [row] = await ask(
      url,
      `SELECT (SELECT change_horizon() FROM incarnations) <= ${xid} AS open`,
    );
    return row?.open;
  };
  const client = new pg.Client({ connectionString: worker });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`PREPARE TRANSACTION '${gid}'`);
  tell('what is prepared holds changes back', (await isOpen()) === true);
  await client.query(`COMMIT PREPARED '${gid}'`);
  tell('once it is committed they are told', (await isOpen()) === false);
  await client.end();
}

async function besideOneAlone(cluster: Clients): Promise<void> {
  const server = await CitusServer.start(place, 'alone', true);
  await ask(server.url('postgres'), 'CREATE DATABASE crm');
  const url = server.url('crm');
  await migrate({ DATABASE_URL: url });
  const account = await populate(url);
  const service = await startService(place.at('crm3'), { DATABASE_URL: url });
  try {
    await compare({ ...account, ports: [service.port] }, cluster);
  } finally {
    await stopTarget(service);
    await server.kill();
  }
}

/** Kills a server again and again under eight writers, and starts it two seconds later. */
async function kill(server: CitusServer, url: string, clients: Clients): Promise<void> {
  const outcome = new Outcome();
  const stop = write(clients, outcome, 8);
  for (let n = 0; n < kills; n += 1) {
    await sleep(2000);
    await server.kill();
    await sleep(2000);
    await server.start();
    await recovered(outcome);
  }
  await stop();
  console.log(`${server.name} killed ${kills} times`);
  // What was prepared when its server was killed is committed once Citus looks after it, every now and
  // then (citus.recover_2pc_interval).
  await ask(url, 'SELECT recover_prepared_transactions()');
  await outcome.tellLost(url);
}

/** Waits until a contact is stored again. */
async function recovered({ stored }: Outcome): Promise<void> {
  const before = stored.length;
  const began = performance.now();
  while (stored.length === before) {
    if (performance.now() - began > 30_000) throw new Error('nothing was written for 30 s');
    await sleep(10);
  }
  console.log(`written again ${(performance.now() - began).toFixed(0)} ms after it answered`);
}

/** Prints, for each of some reads, whether it is one task on one part of the tables. */
async function read(url: string, { token, accountId, ports: [port = 0] }: Clients): Promise<void> {
  const api = `/api/v1/accounts/${accountId}`;
  const asked = [
    ...['contacts/1', 'deals/1', 'deal_products/1', 'products/1', 'users/1'],
    ...['contacts', 'deals', 'products', 'users'].map((each) => `${each}/search`),
    'contacts/search?query[full_name_or_email_cont]=a&query[s]=email',
    'contacts/search?query[deals_status_eq]=open',
    'deals/search?query[contact_email_end]=com&query[s]=position',
    'deals/search?query[position_gteq]=2',
    'deals/search?query[users_full_name_cont]=a&query[products_name_present]=true',
  ].map((path) => `${api}/${path}`);
  // The first of each kind finds out about columns, and who calls.
  for (const path of asked) await send(port, { method: 'GET', path }, token);
  const before = await counters(url);
  for (const path of asked) {
    const { status } = await send(port, { method: 'GET', path }, token);
    console.log(`${status} ${path}`);
  }
  const after = await counters(url);
  const [single, multi] = [after.single - before.single, after.multi - before.multi];
  tell(`${asked.length} reads: ${single} on one part, ${multi} on several`, multi === 0);
}

async function counters(url: string): Promise<{ single: number; multi: number }> {
  const [row] = await ask(
    url,
    `SELECT query_execution_single_shard::int AS single, query_execution_multi_shard::int AS multi
     FROM citus_stat_counters WHERE name = current_database()`,
  );
  return { single: Number(row?.['single']), multi: Number(row?.['multi']) };
}
