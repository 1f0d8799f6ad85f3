/** Workers whose event loop does not turn any more, with the service's own patience. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { Client } from '../kit/http.ts';
import { childrenOf, isRunning, portsOf } from '../kit/proc.ts';
import {
  type Demo,
  demo,
  freezing,
  killProcesses,
  type ServiceProcess,
  startProcess,
  workerOf,
} from '../kit/process.ts';
import { until } from '../kit/wait.ts';
import { tell } from './scene.ts';

let shop: Demo;
beforeAll(async () => {
  shop = await demo();
});
afterAll(async () => {
  killProcesses();
  await shop.database.close();
});

const start = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> =>
  startProcess(shop, { ...freezing, PORT: String(await freePort()), ...env });

async function stop(service: ServiceProcess): Promise<void> {
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([0, null]);
}

/** What a client notices that asks on one connection, and connects again when it is cut off. */
interface Noticed {
  answered: number;
  cuts: number;
  /** Milliseconds from the first failure to the next answer, and the longest wait for an answer. */
  away: number;
  longest: number;
}

/** A client that asks until `end` resolves. */
async function notice(client: Client, end: Promise<unknown>): Promise<Noticed> {
  const noticed: Noticed = { answered: 0, cuts: 0, away: 0, longest: 0 };
  let over = false;
  void end.finally(() => (over = true));
  let since: number | undefined;
  while (!over) {
    const asked = performance.now();
    const status = await client.send(search()).then(
      (answer) => answer.status,
      () => 'cut off',
    );
    const now = performance.now();
    if (status === 200) {
      noticed.answered += 1;
      noticed.longest = Math.max(noticed.longest, now - asked);
      if (since !== undefined) noticed.away = Math.max(noticed.away, now - since);
      since = undefined;
    } else {
      noticed.cuts += 1;
      since ??= now;
    }
    await sleep(20);
  }
  return noticed;
}

const search = () => ({
  method: 'POST',
  path: `/api/v1/accounts/${shop.accountId}/deals/search`,
  headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
  body: '{}',
});

/** Answers on a connection of its own, or says that there was none. */
async function askAnew({ url }: ServiceProcess): Promise<number | string> {
  const client = new Client(url);
  const status = await client.send(search()).then(
    (answer) => answer.status,
    () => 'refused',
  );
  client.close();
  return status;
}

test('a single worker that freezes is replaced, and serves again within seven seconds', async () => {
  const service = await start();
  const frozen = workerOf(service);
  const client = new Client(service.url);
  const froze = performance.now();
  process.kill(frozen, 'SIGUSR2');
  const gone = until(
    async () => isRunning(frozen),
    (is) => !is,
    15_000,
  ).then(() => performance.now() - froze);
  let served = 0;
  const serving = until(
    () => askAnew(service),
    (status) => status === 200,
    15_000,
  ).then(() => (served = performance.now() - froze));
  const noticed = await notice(client, Promise.all([gone, serving, sleep(9000)]));
  client.close();
  const killed = await gone;
  tell('frozen: one worker', { killed, served, ...noticed });
  expect(served).toBeLessThan(7000);
  expect(killed).toBeGreaterThan(4400);
  expect(killed).toBeLessThan(7000);
  expect(noticed.away).toBeLessThan(1000);
  await stop(service);
});

test('of two workers one freezes: its connections come back within a second, the others notice nothing', async () => {
  const service = await start({ WORKERS: '2' });
  const clients: Client[] = [];
  const counts = () =>
    childrenOf(service.pid).map(
      (worker) => portsOf(worker, 'established').filter((port) => port === service.port).length,
    );
  await until(
    async () => {
      const client = new Client(service.url);
      await client.send(search());
      clients.push(client);
      return counts();
    },
    ([one = 0, other = 0]) => one > 1 && other > 1,
    30_000,
  );
  const [frozen = 0] = childrenOf(service.pid);
  const held = counts()[0] ?? 0;
  const end = sleep(12_000);
  const noticing = clients.map((client) => notice(client, end));
  await sleep(1000);
  process.kill(frozen, 'SIGUSR2');
  const noticed = await Promise.all(noticing);
  const cut = noticed.filter(({ cuts }) => cuts > 0);
  const away = Math.max(...cut.map((one) => one.away));
  const spared = noticed.filter(({ cuts }) => cuts === 0);
  const longest = Math.max(...spared.map((one) => one.longest));
  tell('frozen: one of two', { held, cut: cut.length, away, spared: spared.length, longest });
  for (const client of clients) client.close();
  expect(cut).toHaveLength(held);
  expect(away).toBeLessThan(1000);
  expect(longest).toBeLessThan(2000);
  expect(
    await until(
      async () => childrenOf(service.pid).length,
      (n) => n === 2,
      10_000,
    ),
  ).toBe(2);
  expect(childrenOf(service.pid)).not.toContain(frozen);
  await stop(service);
});

test('a worker that answers again in time stays, and the one that was to replace it goes', async () => {
  const service = await start();
  const worker = workerOf(service);
  process.kill(worker, 'SIGSTOP');
  const children = async () => childrenOf(service.pid);
  expect(await until(children, ({ length }) => length === 2, 5000)).toHaveLength(2);
  process.kill(worker, 'SIGCONT');
  expect(await until(children, ({ length }) => length === 1, 20_000)).toEqual([worker]);
  expect(await askAnew(service)).toBe(200);
  await stop(service);
});

test('a service that was stopped as a whole, as by a suspended machine, replaces nobody', async () => {
  const service = await start({ WORKERS: '2' });
  const two = await until(
    async () => childrenOf(service.pid),
    ({ length }) => length === 2,
    5000,
  );
  expect(
    await until(
      () => askAnew(service),
      (status) => status === 200,
      5000,
    ),
  ).toBe(200);
  const all = [service.pid, ...two];
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  await sleep(8000);
  for (const pid of all) process.kill(pid, 'SIGCONT');
  const seen = new Set<number>();
  const end = Date.now() + 3000;
  await until(
    async () => childrenOf(service.pid).forEach((pid) => void seen.add(pid)),
    () => Date.now() > end,
    5000,
  );
  expect([...seen]).toEqual(two);
  await stop(service);
});

test('a second signal ends the service at once, with the worker that is frozen', async () => {
  const service = await start();
  const frozen = workerOf(service);
  process.kill(frozen, 'SIGUSR2');
  process.kill(service.pid, 'SIGTERM');
  await sleep(1000);
  process.kill(service.pid, 'SIGTERM');
  expect(await service.exit).toEqual([1, null]);
  expect(
    await until(
      async () => isRunning(frozen),
      (is) => !is,
      1000,
    ),
  ).toBe(false);
});
