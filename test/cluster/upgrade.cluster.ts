/**
 * Two gateways behind HAProxy are replaced one after the other by a version that migrates a million
 * contacts as it starts, while 50 requests a second go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { callsOf, growingMs, growMillion, scripts, together, watch } from '../attack/million.ts';
import { tell } from '../attack/scene.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { type NextVersion, nextVersion } from '../kit/migrations.ts';
import { killProcesses, type ServiceProcess } from '../kit/process.ts';
import { world } from '../kit/world.ts';
import { type Haproxy, replace, startGateway, startHaproxy } from './haproxy.ts';

let database: TestDatabase;
let next: NextVersion;
let gateways: readonly [ServiceProcess, ServiceProcess];
let haproxy: Haproxy | undefined;
beforeAll(async () => {
  database = await createDatabase();
  next = await nextVersion();
  await growMillion(database.url);
  const gateway = async () => startGateway({ database }, await freePort());
  gateways = [await gateway(), await gateway()];
}, growingMs);
afterAll(async () => {
  killProcesses();
  await haproxy?.close();
  await next.remove();
  await database.close();
});

test('no request fails while gateways are upgraded and contacts migrated, nor takes five times as long', async () => {
  const [one, two] = gateways;
  const { near, far } = (haproxy = await startHaproxy(one.port, two.port));
  const doors = [near.tcp, near.http, far.tcp, far.http].map((port) => ({ port }));
  const client = new Client(`https://127.0.0.1:${near.tcp}`);
  const calls = await callsOf(await world({ client, database }));
  client.close();
  // Most of what the far ones wait for is the way, which would hide what the service takes.
  const notice = async (end: Promise<unknown>) => {
    const seen = await watch(calls, doors, end);
    return { near: together(seen.slice(0, 2)), far: together(seen.slice(2)) };
  };
  await notice(sleep(5000));
  const quiet = await notice(sleep(60_000));

  const names = await Promise.all(scripts.map(next.write));
  const upgrade = async () => {
    for (const old of gateways) {
      await replace(old, (port) => startGateway({ database }, port, next));
    }
  };
  const began = performance.now();
  const meanwhile = await notice(upgrade());
  const seconds = (performance.now() - began) / 1000;
  tell('an upgrade with a million contacts', { seconds, quiet, meanwhile });
  const applied = await database.query(
    'SELECT FROM _prisma_migrations WHERE migration_name = ANY ($1) AND finished_at IS NOT NULL',
    [names],
  );
  expect(applied).toHaveLength(scripts.length);
  for (const seen of [quiet, meanwhile]) {
    expect(Object.keys({ ...seen.near.statuses, ...seen.far.statuses })).toEqual(['2xx']);
  }
  expect(meanwhile.near.p99).toBeLessThan(5 * quiet.near.p99);
  expect(meanwhile.far.p99).toBeLessThan(5 * quiet.far.p99);
});
