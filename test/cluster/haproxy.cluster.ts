/** Two gateways behind HAProxy are restarted one after the other, and no client notices. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { again, tell } from '../attack/scene.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import { given } from '../kit/environment.ts';
import { call, type Demo, demo, killProcesses, startProcess } from '../kit/process.ts';
import { until } from '../kit/wait.ts';

const configuration = fileURLToPath(new URL('../../src/deploy/haproxy.cfg', import.meta.url));

let shop: Demo;
let directory: string;
let haproxy: ChildProcess | undefined;
const ways: DatabaseProxy[] = [];
beforeAll(async () => {
  shop = await demo();
  directory = await mkdtemp(join(tmpdir(), 'crm haproxy '));
});
afterAll(async () => {
  killProcesses();
  haproxy?.kill('SIGKILL');
  for (const way of ways) await way.close();
  await shop.database.close();
  await rm(directory, { recursive: true });
});

const gateway = (port: number) =>
  startProcess(shop, { PORT: String(port), SHUTDOWN_DELAY: '5s', RATE_LIMIT: 'off' });

/** HAProxy with the settings that are shipped: the port of each mode. */
async function startHaproxy(one: number, two: number) {
  const pem = join(directory, 'haproxy.pem');
  const files = ['CRM_TEST_CERT', 'CRM_TEST_KEY'].map((name) => readFile(given(name), 'utf8'));
  await writeFile(pem, (await Promise.all(files)).join('\n'));
  const ports = { tcp: await freePort(), http: await freePort() };
  haproxy = spawn('haproxy', ['-db', '-f', configuration], {
    env: {
      ...process.env,
      CRM_ONE: `127.0.0.1:${one}`,
      CRM_TWO: `127.0.0.1:${two}`,
      CRM_TCP: `127.0.0.1:${ports.tcp}`,
      CRM_HTTP: `127.0.0.1:${ports.http}`,
      CRM_CERT: pem,
      CRM_CA: given('CRM_TEST_CERT'),
      CRM_NAME: 'localhost',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return ports;
}

/** What clients of one mode saw. */
interface Seen {
  readonly statuses: Record<string, number>;
  readonly times: number[];
  /** E-mails of contacts that the service said it has stored. */
  readonly stored: string[];
}

let sent = 0;

/** Searches and writes of sixteen clients that keep their connections, until `end`. */
function clients(mode: string, port: number, end: Promise<unknown>, seen: Seen): Promise<void> {
  const agents = Array.from(
    { length: 16 },
    () => new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false }),
  );
  return again(agents.length, end, async (strand) => {
    const n = sent++;
    const email = `${mode}-${n}@acme.test`;
    const began = performance.now();
    const asked =
      n % 2 === 0
        ? call({ port }, shop, 'POST', '/contacts', { email }, agents[strand])
        : call({ port }, shop, 'POST', '/deals/search', {}, agents[strand]);
    const status = await asked.catch(({ message }: Error) => message);
    seen.times.push(performance.now() - began);
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    if (status === 201) seen.stored.push(email);
  }).finally(() => {
    for (const agent of agents) agent.destroy();
  });
}

const p99 = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

test('a rolling restart fails none of 5,000 requests in either mode', async () => {
  const [one, two] = [await gateway(await freePort()), await gateway(await freePort())];
  const modes: [string, number][] = [];
  for (const [mode, port] of Object.entries(await startHaproxy(one.port, two.port))) {
    // Clients are far away, so that what they send crosses with what they are told.
    const way = await startDatabaseProxy(`https://127.0.0.1:${port}`);
    way.lag(10);
    ways.push(way);
    modes.push([mode, Number(new URL(way.url).port)]);
  }
  for (const [, port] of modes) {
    const ask = () => call({ port }, shop, 'POST', '/deals/search').catch(() => 0);
    expect(await until(ask, (status) => status === 200, 10_000)).toBe(200);
  }
  const all = modes.map(([mode, port]) => ({
    mode,
    port,
    seen: { statuses: {}, times: [], stored: [] } as Seen,
  }));
  const watch = (end: Promise<unknown>) =>
    Promise.all(all.map(({ mode, port, seen }) => clients(mode, port, end, seen)));
  await watch(sleep(5000));
  const quiet = all.map(({ seen }) => p99(seen.times.splice(0)));

  const rolling = async () => {
    for (const old of [one, two]) {
      process.kill(old.pid, 'SIGTERM');
      expect(await old.exit).toEqual([0, null]);
      await gateway(old.port);
      // Until HAProxy has seen that it is there.
      await sleep(4000);
    }
    while (all.some(({ seen }) => seen.times.length < 5000)) await sleep(100);
  };
  await watch(rolling());
  for (const [at, { mode, seen }] of all.entries()) {
    tell(`rolling restart, ${mode}`, {
      requests: seen.times.length,
      statuses: seen.statuses,
      stored: seen.stored.length,
      p99: p99(seen.times),
      quiet: quiet[at],
    });
    expect(Object.keys(seen.statuses).sort()).toEqual(['200', '201']);
    const rows = await shop.database.query<{ email: string }>(
      'SELECT email FROM contacts WHERE email = ANY ($1)',
      [seen.stored],
    );
    expect(rows).toHaveLength(seen.stored.length);
  }
});
