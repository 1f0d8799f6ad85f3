/** Two gateways behind HAProxy are restarted one after the other, and no client notices. */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { again, tell } from '../attack/scene.ts';
import { call, type Demo, demo, killProcesses } from '../kit/process.ts';
import { type Haproxy, replace, startGateway, startHaproxy } from './haproxy.ts';

let shop: Demo;
let haproxy: Haproxy | undefined;
beforeAll(async () => {
  shop = await demo();
});
afterAll(async () => {
  killProcesses();
  await haproxy?.close();
  await shop.database.close();
});

const gateway = (port: number) => startGateway(shop, port);

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
  haproxy = await startHaproxy(one.port, two.port);
  const all = Object.entries(haproxy.far).map(([mode, port]) => ({
    mode,
    port,
    seen: { statuses: {}, times: [], stored: [] } as Seen,
  }));
  const watch = (end: Promise<unknown>) =>
    Promise.all(all.map(({ mode, port, seen }) => clients(mode, port, end, seen)));
  await watch(sleep(5000));
  const quiet = all.map(({ seen }) => p99(seen.times.splice(0)));

  const rolling = async () => {
    for (const old of [one, two]) await replace(old, gateway);
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
