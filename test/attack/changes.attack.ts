/** Many who listen for changes, and what that costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Listening, listen } from '../kit/events.ts';
import type { World } from '../kit/world.ts';
import { send } from './requests.ts';
import { noticeQuiet, openScene, residentOf, type Scene, tell } from './scene.ts';

const listeners = 1000;

const listenAs = ({ service }: Scene, { accountId, admin }: World): Promise<Listening> =>
  listen(service.url, `/api/v1/accounts/${accountId}/changes?after=now&records=contacts`, {
    authorization: `Bearer ${admin.token}`,
  });

/** Transactions that the database has seen, this question's own among them. */
async function transactions({ database }: Scene): Promise<number> {
  await database.query('SELECT pg_stat_force_next_flush()');
  const [row] = await database.query<{ n: number }>(
    'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.n ?? 0;
}

test('a thousand who listen take little memory, two statements a second, and hear of each change within one', async () => {
  const scene = await openScene();
  const quiet = await noticeQuiet(scene);
  const before = residentOf(scene.service);
  const open: Listening[] = [];
  while (open.length < listeners) {
    const worlds = Array.from({ length: 50 }, (_, n) => (n % 2 ? scene.attacker : scene.neighbour));
    open.push(...(await Promise.all(worlds.map((each) => listenAs(scene, each)))));
  }
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  // Until PostgreSQL has counted what it took to open them.
  await sleep(15_000);
  const begun = await transactions(scene);
  const seconds = 20;
  await sleep(seconds * 1000);
  const statements = ((await transactions(scene)) - begun) / seconds;
  const memory = residentOf(scene.service) - before;

  const delays: number[] = [];
  const contacts = 20;
  for (let count = 1; count <= contacts; count++) {
    const { status } = await send(scene.service, {
      method: 'POST',
      path: `/api/v1/accounts/${scene.attacker.accountId}/contacts`,
      token: scene.attacker.admin.token,
      body: { full_name: 'Heard' },
    });
    expect(status).toBe('201');
    const written = performance.now();
    const heard = open.filter((_, n) => n % 2 === 1);
    await Promise.all(
      heard.map(async (each) => {
        await each.came(count);
        delays.push(performance.now() - written);
      }),
    );
    await sleep(Math.random() * 700);
  }
  for (const each of open) each.close();
  delays.sort((a, b) => a - b);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  tell(`${listeners} listeners`, {
    memory,
    statements,
    p50: delays[delays.length >> 1],
    p99,
    quiet,
  });
  await scene.close();
  expect(memory).toBeLessThan(50);
  expect(statements).toBeLessThan(3);
  expect(p99).toBeLessThan(1000);
});
