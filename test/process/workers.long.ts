/** Several workers on one port, and the port for operators. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { operatorPass } from '../../src/auth/operator_pass.ts';
import type { Top } from '../../src/http/top.ts';
import { findRunning } from '../../src/postgres/embedded.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import { Client } from '../kit/http.ts';
import { childrenOf, isRunning, portsOf, residentOf, onLinux as test } from '../kit/proc.ts';
import {
  call,
  type Demo,
  demo,
  hanging,
  killProcesses,
  npmStart,
  refusesConnections,
  type ServiceProcess,
  startProcess,
} from '../kit/process.ts';
import { secret } from '../kit/service.ts';
import { until } from '../kit/wait.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

let shop: Demo;
let service: ServiceProcess;
let adminPort: number;
let admin: Client;
beforeAll(async () => {
  shop = await demo();
  adminPort = await freePort();
  service = await startProcess(shop, { WORKERS: '2', ADMIN_PORT: String(adminPort) });
  admin = new Client(`http://127.0.0.1:${adminPort}`);
  expect(await servingWorkers()).toHaveLength(2);
});
afterAll(async () => {
  admin.close();
  killProcesses();
  await shop.database.close();
});

/** The body of a 404. */
const missing = {
  error: 'Resource could not be found',
  code: 'no_route',
  errors: ['No such route'],
  request_id: expect.any(String),
};

/** One search on a connection of its own: its status. */
const search = () => call(service, shop, 'POST', '/deals/search');

/** How many connections of clients each worker has. */
const connections = ({ pid, port: own } = service) =>
  childrenOf(pid).map(
    (worker) => portsOf(worker, 'established').filter((port) => port === own).length,
  );

/** How many connections there are, and how many workers have none. */
const spread = (counts: readonly number[]) => ({
  connections: counts.reduce((sum, count) => sum + count, 0),
  idle: counts.filter((count) => count === 0).length,
});

/** The connections of each worker, once nobody should be connected any more. */
const noConnections = () =>
  until(
    async () => connections(),
    (counts) => counts.every((count) => count === 0),
    5000,
  );

/** The workers, once two of them have served a connection. */
async function servingWorkers(of = service): Promise<readonly number[]> {
  const clients: Client[] = [];
  const serving = await until(
    async () => {
      const client = new Client(of.url);
      clients.push(client);
      await client.send({ method: 'GET', path: '/livez' });
      const counts = connections(of);
      return childrenOf(of.pid).filter((_, at) => (counts[at] ?? 0) > 0);
    },
    (workers) => workers.length === 2,
    30_000,
  );
  for (const client of clients) client.close();
  return serving;
}

test('the admin port answers in plain HTTP: health, and what all workers have measured', async () => {
  const asked = async (path: string) => {
    const { status, headers, text } = await admin.send({ method: 'GET', path });
    return { status, type: headers['content-type'], text };
  };
  const fine = { status: 200, type: 'application/json; charset=utf-8', text: '{"status":"ok"}' };
  expect(await asked('/livez')).toEqual(fine);
  expect(await asked('/readyz')).toEqual(fine);
  const searches = async () => {
    const { status, type, text } = await asked('/metrics');
    expect({ status, type }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    const line =
      /^http_server_request_duration_seconds_count\{.*deals\/search.*status_code="200".*\} (\d+)$/m;
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = await searches();
  for (const status of [await search(), await search(), await search()]) expect(status).toBe(200);
  expect(await until(searches, (count) => count >= before + 3, 5000)).toBe(before + 3);
});

test('the admin port is ready when the database is, which a worker asks', async () => {
  const [last] = await shop.database.query<{ id: string }>(
    `UPDATE _prisma_migrations SET rolled_back_at = now()
     WHERE id = (SELECT max(id) FROM _prisma_migrations) RETURNING id`,
  );
  const status = async () => (await admin.send({ method: 'GET', path: '/readyz' })).status;
  expect(await until(status, (found) => found === 503, 5000)).toBe(503);
  await shop.database.query('UPDATE _prisma_migrations SET rolled_back_at = NULL WHERE id = $1', [
    last?.id,
  ]);
  expect(await until(status, (found) => found === 200, 5000)).toBe(200);
});

test('the admin port has nothing of any account, the other one no metrics', async () => {
  const main = new Client(service.url);
  for (const [client, path] of [
    [admin, '/graphql'],
    [admin, `/api/v1/accounts/${shop.accountId}/contacts/1`],
    [main, '/metrics'],
  ] as const) {
    const { status, body } = await client.send({ method: 'GET', path });
    expect([path, status, body]).toEqual([path, 404, missing]);
  }
  main.close();
});

test('the admin port lists who is heavy of all workers together', async () => {
  const path = '/top';
  const headers = { authorization: `Bearer ${operatorPass(secret)}` };
  const requests = async () => {
    const { body } = await admin.send<Top>({ method: 'GET', path, headers });
    return body.tokens.reduce((sum, { count }) => sum + count, 0);
  };
  const before = await requests();
  await Promise.all(Array.from({ length: 20 }, search));
  expect(await until(requests, (count) => count >= before + 20, 10_000)).toBe(before + 20);
});

test('without ADMIN_PORT there is one port, with it there are two', async () => {
  const sorted = [service.port, adminPort].sort((one, other) => one - other);
  expect(portsOf(service.pid, 'listening')).toEqual(sorted);
  const plain = await startProcess(shop);
  expect(portsOf(plain.pid, 'listening')).toEqual([plain.port]);
  process.kill(plain.pid, 'SIGTERM');
  expect(await plain.exit).toEqual([0, null]);
});

test('connections are spread over the workers; the process that started them serves none', async () => {
  expect(await noConnections()).toEqual([0, 0]);
  const clients = [1, 2, 3, 4].map(() => new Client(service.url));
  for (const client of clients) {
    const { status } = await client.send({ method: 'GET', path: '/livez' });
    expect(status).toBe(200);
  }
  expect(spread(connections())).toEqual({ connections: 4, idle: 0 });
  expect(portsOf(service.pid, 'established')).not.toContain(service.port);
  for (const client of clients) client.close();
});

test('RATE_LIMIT holds for all workers together: of 30 requests on connections of their own 20 are answered', async () => {
  const limited = await startProcess(shop, { WORKERS: '2', RATE_LIMIT: '20' });
  expect(await servingWorkers(limited)).toHaveLength(2);
  const asked = Array.from({ length: 30 }, () => call(limited, shop, 'POST', '/deals/search'));
  const statuses = await Promise.all(asked);
  expect([200, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([
    20, 10,
  ]);
});

test('a worker that is killed is replaced; once it is gone new connections are all answered', async () => {
  const [victim = 0, survivor] = childrenOf(service.pid);
  process.kill(victim, 'SIGKILL');
  await until(
    async () => childrenOf(service.pid),
    (children) => !children.includes(victim),
    5000,
  );
  const statuses = new Set<number>();
  const workers = await until(
    async () => {
      statuses.add(await search());
      return childrenOf(service.pid);
    },
    (children) => children.length === 2 && !children.includes(victim),
    10_000,
  );
  expect(workers).toEqual([survivor, expect.any(Number)]);
  expect(await servingWorkers()).toEqual(workers);
  expect(statuses).toEqual(new Set([200]));
});

test('while a worker hangs, the others answer all but what it had been given', async () => {
  const [stuck = 0] = childrenOf(service.pid);
  process.kill(stuck, 'SIGSTOP');
  let answered = 0;
  const calls = Array.from({ length: 10 }, async () => {
    const status = await search();
    answered += 1;
    return status;
  });
  try {
    expect(
      await until(
        async () => answered,
        (count) => count >= 9,
        5000,
      ),
    ).toBeGreaterThanOrEqual(9);
  } finally {
    process.kill(stuck, 'SIGCONT');
  }
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
});

test('SIGTERM lets requests in flight of all workers finish, and ends them all and itself with 0', async () => {
  const workers = await servingWorkers();
  expect(await noConnections()).toEqual([0, 0]);
  const deals = await shop.database.query<{ id: number }>(
    'SELECT id FROM deals ORDER BY id LIMIT 4',
  );
  const letGo = await shop.database.hold('SELECT FROM deals FOR UPDATE');
  const inFlight = deals.map(({ id }) =>
    call(service, shop, 'PUT', `/deals/${id}`, { name: 'Late' }),
  );
  const hung = await hanging(shop, 4);
  const held = connections();
  process.kill(service.pid, 'SIGTERM');
  const refused = await refusesConnections(service);
  const ready = await admin.send({ method: 'GET', path: '/readyz' });
  await letGo();
  expect({ hung, refused, ...spread(held) }).toEqual({
    hung: 4,
    refused: true,
    connections: 4,
    idle: 0,
  });
  expect(ready).toMatchObject({ status: 503, body: { errors: ['Not ready: shutting down'] } });
  expect(await Promise.all(inFlight)).toEqual([200, 200, 200, 200]);
  expect(await service.exit).toEqual([0, null]);
  expect(workers.filter(isRunning)).toEqual([]);
});

test('npm start ends when the service has stopped, however it is told', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crm npm '));
  const env = {
    DATA_DIR: directory,
    PORT: String(await freePort()),
    ADMIN_PORT: '',
    DATABASE_URL: '',
  };
  try {
    for (const [signal, to] of [
      ['SIGTERM', 'npm alone'],
      ['SIGINT', 'its group'],
    ] as const) {
      const npm = await npmStart(env);
      expect(await findRunning(directory)).toEqual(expect.any(String));
      process.kill(to === 'npm alone' ? npm.pid : -npm.pid, signal);
      // A container ends with it, and kills what is left.
      expect(await npm.exit).toEqual([0, null]);
      expect(await findRunning(directory)).toBeUndefined();
      expect(await refusesConnections(npm)).toBe(true);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a worker that has started and done nothing holds at most 150 MB', async () => {
  const { pid } = await startProcess(shop);
  const [worker = pid] = childrenOf(pid);
  expect(residentOf(worker)).toBeLessThanOrEqual(150);
});
