import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identityOf, livesStill, withProcessLock } from '../../src/lib/process_lock.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm lock '));
  path = join(directory, 'lock');
});
afterEach(() => rm(directory, { recursive: true }));

test('one works at a time, and the lock is gone afterwards', async () => {
  let inside = 0;
  let max = 0;
  const work = async () => {
    inside += 1;
    max = Math.max(max, inside);
    await sleep(20);
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withProcessLock(path, work)));
  expect(max).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('an error lets it go', async () => {
  const work = withProcessLock(path, () => Promise.reject(new Error('no')));
  await expect(work).rejects.toThrow('no');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['a dead process', () => String(spawnSync('true').pid)],
  ['an earlier process of a number that lives', () => `${process.pid} 1`],
  ['nobody', () => 'garbage'],
])('the lock of %s counts for nothing', async (_, owner) => {
  await writeFile(path, owner());
  expect(await withProcessLock(path, async () => 'mine')).toBe('mine');
});

test('a process is told from others by its number and its start', () => {
  expect(livesStill(identityOf(process.pid))).toBe(true);
  expect(livesStill('0')).toBe(false);
});
