/** Workers whose event loop does not turn any more. */
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { Client } from '../kit/http.ts';
import { childrenOf, isRunning, portsOf, onLinux as test } from '../kit/proc.ts';
import {
  call,
  type Demo,
  demo,
  freezing,
  hanging,
  killProcesses,
  startProcess,
  workerOf,
} from '../kit/process.ts';
import { until } from '../kit/wait.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

/** Milliseconds; the five seconds of the service are for `test:attack`. */
const patience = 2000;

let shop: Demo;
beforeAll(async () => {
  shop = await demo();
});
afterAll(async () => {
  killProcesses();
  await shop.database.close();
});

/** Transactions that are begun and do nothing. */
async function idleTransactions(): Promise<number> {
  const [row] = await shop.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  return row?.count ?? 0;
}

test('a frozen worker is killed and replaced, its transactions end; the log and the metrics tell', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  let log = '';
  const service = await startProcess(
    shop,
    { ...freezing, PORT: String(port), ADMIN_PORT: String(adminPort), LOG_LEVEL: 'error' },
    { patience, onLog: (text) => (log += text) },
  );
  const frozen = workerOf(service);
  const [deal] = await shop.database.query<{ id: number }>('SELECT min(id) AS id FROM deals');
  const letGo = await shop.database.hold('SELECT FROM deals FOR UPDATE');
  const cut = call(service, shop, 'PUT', `/deals/${deal?.id}`, { position: 2 }).catch(
    (error: unknown) => error,
  );
  expect(await hanging(shop, 1)).toBe(1);
  process.kill(frozen, 'SIGUSR2');
  await letGo();
  expect(await until(idleTransactions, (count) => count > 0, 1000)).toBe(1);

  expect(await cut).toMatchObject({ code: 'ECONNRESET' });
  // Its connections go before the process does.
  expect(
    await until(
      async () => isRunning(frozen),
      (running) => !running,
      5000,
    ),
  ).toBe(false);
  expect(await until(idleTransactions, (count) => count === 0, 1000)).toBe(0);
  const search = () => call(service, shop, 'POST', '/deals/search').catch(() => 'refused');
  expect(await until(search, (status) => status !== 'refused', 15_000)).toBe(200);
  expect(workerOf(service)).not.toBe(frozen);

  const admin = new Client(`http://127.0.0.1:${adminPort}`);
  const { text } = await admin.send({ method: 'GET', path: '/metrics' });
  admin.close();
  expect(text.match(/^workers_replaced_total.*$/gm)).toEqual([
    'workers_replaced_total{reason="died"} 0',
    'workers_replaced_total{reason="frozen"} 1',
  ]);
  const common = { level: 'error', time: expect.any(String), worker: frozen };
  const lines = log.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...common, silentMs: expect.any(Number), msg: 'a worker does not answer and is killed' },
    {
      ...common,
      reason: 'frozen',
      code: null,
      signal: 'SIGKILL',
      msg: 'a worker ended and is replaced',
    },
  ]);
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([0, null]);
});

test('SIGTERM ends a service whose worker is frozen', async () => {
  const service = await startProcess(shop, freezing, { patience });
  const frozen = workerOf(service);
  process.kill(frozen, 'SIGUSR2');
  const asked = Date.now();
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([0, null]);
  expect(Date.now() - asked).toBeLessThan(10_000);
  expect(isRunning(frozen)).toBe(false);
});

test('connections that come while one of two workers is frozen are answered, or cut off with it', async () => {
  const env = { ...freezing, WORKERS: '2', PORT: String(await freePort()) };
  const service = await startProcess(shop, env, { patience });
  const search = () =>
    call(service, shop, 'POST', '/deals/search').catch(({ code }: NodeJS.ErrnoException) => code);
  const clients: Client[] = [];
  /** The workers that have a connection, once both have. */
  const serving = await until(
    async () => {
      const client = new Client(service.url);
      clients.push(client);
      await client.send({ method: 'GET', path: '/livez' });
      const has = (pid: number) => portsOf(pid, 'established').includes(service.port);
      return childrenOf(service.pid).filter(has);
    },
    ({ length }) => length === 2,
    30_000,
  );
  for (const client of clients) client.close();
  process.kill(serving[0] ?? 0, 'SIGUSR2');
  const statuses = await Promise.all(Array.from({ length: 10 }, search));
  // One is on its way to the worker, and another one may have come just before it froze.
  expect(new Set(statuses)).toEqual(new Set([200, 'ECONNRESET']));
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([0, null]);
});
