/**
 * Webhooks under what happens to them: processes that are killed, receivers that hang or fail, many
 * changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { delivering, type Receiver, startReceiver } from '../kit/receiver.ts';
import { until } from '../kit/wait.ts';
import type { World } from '../kit/world.ts';
import { killRounds } from './deliveries.ts';
import { openScene, type Scene } from './scene.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

test('a hundred times killed, a service loses nothing that was acknowledged', async () => {
  const database: TestDatabase = await createDatabase();
  const found = await killRounds(database, 100);
  print(`killed 100 times: ${JSON.stringify(found)}`);
  expect(found).toMatchObject({ lost: 0, unsigned: 0 });
  await database.close();
}, 900_000);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(delivering);
});
afterAll(() => scene.close());

/** Milliseconds from the acknowledgement of each write to the message at a receiver. */
async function lags(w: World, receivers: readonly Receiver[], seconds: number): Promise<number[]> {
  const written = new Map<number, number>();
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const { id } = await w.contact();
    written.set(id, performance.now());
    await sleep(50);
  }
  await until(
    async () => receivers.every(({ received }) => received.length >= written.size),
    (all) => all,
    20_000,
  ).catch(() => undefined);
  return receivers.flatMap(({ received }) => {
    const at = new Map(received.map((one) => [Number(JSON.parse(one.body).record_id), one.at]));
    return [...written].map(([id, since]) => (at.get(id) ?? Number.POSITIVE_INFINITY) - since);
  });
}

const p99 = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0;

const listen = (count: number, answer?: Parameters<typeof startReceiver>[0]) =>
  Promise.all(Array.from({ length: count }, () => startReceiver(answer)));

const telling = (w: World, receivers: readonly Receiver[]) =>
  Promise.all(receivers.map(({ url }) => w.webhook({ url, events: ['contact.create'] })));

test('a receiver that hangs and one that fails delay none of ten good ones of their account', async () => {
  const w = scene.neighbour;
  const good = await listen(10);
  const hanging = await listen(1, () => undefined);
  const failing = await listen(1, (response) => void response.writeHead(500).end());
  await telling(w, [...hanging, ...failing, ...good]);
  const lag = p99(await lags(w, good, 20));
  print(`beside one that hangs and one that fails: p99 ${Math.round(lag)} ms`);
  expect(lag).toBeLessThan(2000);
  await Promise.all([...good, ...hanging, ...failing].map((each) => each.close()));
});

test('twenty that hang delay nobody of another account', async () => {
  const hanging = await listen(20, () => undefined);
  await telling(scene.attacker, hanging);
  for (let n = 0; n < 40; n += 1) await scene.attacker.contact();
  const good = await listen(10);
  await telling(scene.neighbour, good);
  const lag = p99(await lags(scene.neighbour, good, 20));
  print(`beside twenty that hang: p99 ${Math.round(lag)} ms`);
  expect(lag).toBeLessThan(2000);
  expect(hanging.every(({ connections }) => connections() > 0)).toBe(true);
  await Promise.all([...good, ...hanging].map((each) => each.close()));
});

test('a fast receiver is told a thousand changes a second', async () => {
  const [receiver] = await listen(1);
  if (!receiver) throw new Error('no receiver was started');
  const w = scene.neighbour;
  const { id } = await w.webhook({ url: receiver.url, events: ['product.update'] });
  const changes = 20_000;
  // As if they had been written while nobody delivered.
  await scene.database.query(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id, before, after)
     SELECT $1, 'product.update', 'product', n, '{"name":"Before"}', '{"name":"After"}' FROM generate_series(1, $2) AS n`,
    [w.accountId, changes],
  );
  const counted = await until(
    async () => receiver.received.length,
    (count) => count >= changes,
    60_000,
  );
  const first = receiver.received[0]?.at ?? 0;
  const last = receiver.received.at(-1)?.at ?? 0;
  const rate = Math.round((counted / (last - first)) * 1000);
  print(`${counted} deliveries of webhook ${id}: ${rate} a second`);
  expect(rate).toBeGreaterThan(1000);
  await receiver.close();
});
