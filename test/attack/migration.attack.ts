/** A million contacts are migrated while 50 requests a second go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { type NextMigrations, nextMigrations } from '../kit/migrations.ts';
import { callsOf, growingMs, growMillion, scripts, together, watch } from './million.ts';
import { openScene, type Scene, tell } from './scene.ts';

let scene: Scene;
let next: NextMigrations;
beforeAll(async () => {
  scene = await openScene();
  next = await nextMigrations();
  await growMillion(scene.database.url);
}, growingMs);
afterAll(async () => {
  await next.remove();
  await scene.close();
});

test('no request fails while columns, a check and indexes are added, nor takes five times as long', async () => {
  const calls = await callsOf(scene.neighbour);
  const notice = async (end: Promise<unknown>) =>
    together(await watch(calls, [scene.service], end));
  await notice(sleep(5000));
  const quiet = await notice(sleep(30_000));
  for (const script of scripts) await next.write(script);
  const began = performance.now();
  const migrating = migrate(scene.database.url, { directory: next.directory });
  const meanwhile = await notice(migrating);
  const seconds = (performance.now() - began) / 1000;
  tell('a migration of a million contacts', { seconds, quiet, meanwhile });
  expect(await migrating).toHaveLength(scripts.length);
  expect(Object.keys({ ...quiet.statuses, ...meanwhile.statuses })).toEqual(['2xx']);
  expect(meanwhile.p99).toBeLessThan(5 * quiet.p99);
});
