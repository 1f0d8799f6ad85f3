/** Alerts and dashboard ask for metrics that the service has, and none of them fires where nothing is wrong. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { alerts, panels, Watch } from '../kit/alerts.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { type Series, scrape } from '../kit/metrics.ts';
import { killProcesses, type ServiceProcess, startProcess } from '../kit/process.ts';
import { metricsOf, parse } from '../kit/promql.ts';
import { delivering, type Receiver, startReceiver } from '../kit/receiver.ts';
import { world } from '../kit/world.ts';

// Whole processes are started.
jest.setTimeout(60_000);

let database: TestDatabase;
let service: ServiceProcess;
let receiver: Receiver;
let client: Client;
let series: readonly Series[];
let fired: readonly string[];
beforeAll(async () => {
  database = await createDatabase();
  const adminPort = await freePort();
  const env = { ...delivering, ADMIN_PORT: String(adminPort), WORKERS: '2' };
  service = await startProcess({ database }, env);
  receiver = await startReceiver();
  client = new Client(service.url);
  const w = await world({ client, database });
  await w.rest.post('/webhooks', { url: receiver.url, events: ['*'] });
  const watch = new Watch();
  for (let n = 0; n < 5; n += 1) {
    await w.contact();
    await w.rest.post('/contacts/search', {});
    await w.graphql.data(`{ contacts(account_id: ${w.accountId}) { data { id } } }`);
    await sleep(500);
    series = await scrape(adminPort);
    fired = watch.note({ at: performance.now() / 1000, series });
  }
});
afterAll(async () => {
  client.close();
  process.kill(service.pid, 'SIGTERM');
  await service.exit;
  killProcesses();
  await receiver.close();
  await database.close();
});

const queries = [...alerts.map(({ expr }) => expr), ...[...panels.values()].flat()];

/** What a service has that has a standby, which this one has not. */
const ofStandby = ['standby_behind_seconds'];

test.each(queries)('%s is PromQL over metrics that exist', (query) => {
  expect(() => parse(query)).not.toThrow();
  const named = metricsOf(query).filter((name) => !ofStandby.includes(name));
  const known = new Set(series.map(({ name }) => name));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('no alert fires', () => {
  expect(fired).toEqual([]);
});

test('the guide says of each alert what to do', () => {
  const guide = readFileSync(new URL('../../src/docs/how-to/alerts.md', import.meta.url), 'utf8');
  const listed = [...guide.matchAll(/^\| `(Crm\w+)` \|/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});
