/** The service and its database are killed, cut off and starved, while sixteen clients write. */
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import { killProcesses, killService, type ServiceProcess, startProcess } from '../kit/process.ts';
import { until } from '../kit/wait.ts';
import { backends, openVictim, Told, type Victim, work } from './outage.ts';
import { tell } from './scene.ts';

const poolSize = 12;

/** No request is answered later, in milliseconds, whatever happens. */
const latest = 8000;

/** The service must work again this many milliseconds after a fault is over. */
const soon = 3000;

let directory: string;
let victim: Victim;
let proxy: DatabaseProxy;
let port: number;
let service: ServiceProcess;
let told: Told;
let stop: () => void;
let working: Promise<void>;

const start = () =>
  startProcess(
    { database: { ...victim.shop.database, url: proxy.url } },
    { PORT: String(port), RATE_LIMIT: 'off', DATABASE_POOL: String(poolSize), LOG_LEVEL: 'error' },
  );

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm faults '));
  victim = await openVictim(directory);
  proxy = await startDatabaseProxy(victim.shop.database.url);
  port = await freePort();
  service = await start();
});
afterAll(async () => {
  killProcesses();
  await proxy.close();
  await victim.close();
  await rmdir(directory);
});
beforeEach(async () => {
  told = new Told();
  const end = new Promise<void>((resolve) => (stop = resolve));
  working = work(() => ({ port }), victim.shop, told, end);
  await told.recovery();
});
afterEach(() => proxy.mend());

/** Ends the work, prints what was seen, and compares it with what is promised. */
async function judge(name: string, recoveries: readonly number[], during: RegExp): Promise<void> {
  await sleep(1000);
  stop();
  await working;
  const lost = await told.lost(victim.shop);
  const left = await until(
    () => backends(victim.shop),
    (found) => found <= poolSize + 1,
    5000,
  );
  const recovery = Math.max(...recoveries);
  const { statuses, stored, slowest } = told;
  tell(name, { statuses, stored: stored.length, lost: lost.length, slowest, recovery, left });
  expect(lost).toEqual([]);
  expect(Object.keys(statuses).filter((status) => !during.test(status))).toEqual([]);
  expect(slowest).toBeLessThan(latest);
  expect(recovery).toBeLessThan(soon);
  expect(left).toBeLessThanOrEqual(poolSize + 1);
}

const answered = /^(200|201|503)$/;
/** A client of a process that is killed has no answer. */
const cutOff = /^(200|201|503|ECONNRESET|ECONNREFUSED|EPIPE|socket hang up)$/;

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

test('PostgreSQL is killed twenty times', async () => {
  const recoveries: number[] = [];
  for (const _ of times(20)) {
    await sleep(300 + Math.random() * 500);
    await victim.kill();
    await victim.revive();
    recoveries.push(await told.recovery());
  }
  await judge('kill -9 of PostgreSQL', recoveries, answered);
});

test('the service is killed twenty times', async () => {
  const recoveries: number[] = [];
  for (const _ of times(20)) {
    await sleep(300 + Math.random() * 500);
    await killService(service);
    service = await start();
    recoveries.push(await told.recovery());
  }
  await judge('kill -9 of the service', recoveries, cutOff);
});

test('all connections to the database are ended twenty times', async () => {
  const recoveries: number[] = [];
  for (const _ of times(20)) {
    await sleep(300);
    await victim.shop.database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crm'",
    );
    recoveries.push(await told.recovery());
  }
  await judge('all backends ended', recoveries, answered);
});

test('the disk of the database is full', async () => {
  const recoveries: number[] = [];
  for (const _ of times(3)) {
    const clear = await victim.fill();
    await sleep(5000);
    await clear();
    recoveries.push(await told.recovery());
  }
  await judge('disk full', recoveries, answered);
});

describe('the network between them', () => {
  test.each<[string, () => void]>([
    ['takes 100 ms a way', () => proxy.lag(100)],
    ['takes a second a way', () => proxy.lag(1000)],
    ['takes two seconds a way', () => proxy.lag(2000)],
    ['drops everything', () => proxy.freeze()],
    ['refuses everything', () => proxy.cut()],
    ['forgets the connections that there are', () => proxy.forsake()],
  ])('%s', async (name, fault) => {
    const recoveries: number[] = [];
    for (const _ of times(3)) {
      fault();
      await sleep(10_000);
      proxy.mend();
      recoveries.push(await told.recovery());
    }
    await judge(`the network ${name}`, recoveries, answered);
  });
});

test('SIGTERM leaves no connection to the database', async () => {
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([0, null]);
  stop();
  await working;
  const none = () => backends(victim.shop);
  expect(await until(none, (count) => count === 0, 2000)).toBe(0);
});
