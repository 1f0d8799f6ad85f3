/** Copies that follow the feed while everything is killed. */
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { bustle } from '../kit/bustle.ts';
import { Copy, contents } from '../kit/copy.ts';
import { changes, type Parameters } from '../kit/feed.ts';
import { Client } from '../kit/http.ts';
import { killProcesses, killService, startProcess } from '../kit/process.ts';
import { seeded } from '../kit/seeded.ts';
import { world } from '../kit/world.ts';
import { openVictim } from './outage.ts';
import { tell } from './scene.ts';

test('copies equal the database after a minute of writing, while it and the service are killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crm changes '));
  const victim = await openVictim(directory);
  const { database } = victim.shop;
  const port = await freePort();
  const start = () => startProcess({ database }, { PORT: String(port), RATE_LIMIT: 'off' });
  let service = await start();
  const client = new Client(service.url);
  const w = await world({ client, database });
  let isOver = false;
  const ask = async (parameters: Parameters) => {
    for (;;) {
      const page = await changes(w.rest, parameters).catch(() => undefined);
      if (page) return page;
      await sleep(100);
    }
  };
  const following = [1, 2, 10, 100, 1000].map(async (limit) => {
    const take = async (): Promise<Copy> => {
      await sleep(Math.random() * 40_000);
      return Copy.take(database, w.accountId).catch(take);
    };
    const copy = await take();
    await copy.follow(ask, limit, ({ after }) => after?.name === 'The last one');
    return copy;
  });
  const belows = Array.from({ length: 12 }, (_, n) => seeded(1 + n + (Date.now() % 2 ** 30)));
  const writing = bustle(w, belows, () => isOver);
  let kills = 0;
  for (const until = Date.now() + 60_000; Date.now() < until; kills++) {
    await sleep(2000 + Math.random() * 2000);
    if (kills % 2 === 0) {
      await killService(service);
      service = await start();
    } else {
      await victim.kill();
      await victim.revive();
    }
  }
  await sleep(3000);
  isOver = true;
  const { statuses } = await writing;
  expect((await w.rest.put('', { name: 'The last one' })).status).toBe(200);
  const stored = await contents(database, w.accountId);
  const copies = await Promise.all(following);
  const equal = copies.filter((copy) => JSON.stringify(copy.contents) === JSON.stringify(stored));
  tell('copies', { kills, statuses, told: copies.map(({ told }) => told), equal: equal.length });
  for (const copy of copies) expect(copy.contents).toEqual(stored);
  client.close();
  process.kill(service.pid, 'SIGTERM');
  await service.exit;
  killProcesses();
  await victim.close();
  await rmdir(directory);
});
