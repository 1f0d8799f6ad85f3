import { expect, test } from '@jest/globals';
import { type Asker, Hashing } from '../../src/auth/hashing.ts';

/** Hashes that end when the test says so. */
function slow(hashing: Hashing) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const hash = (who: Asker, name = String(who)) =>
    hashing.run(who, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  /** Ends those at work, until nobody begins any more. */
  const finish = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise(setImmediate);
    }
  };
  return { begun, ends, hash, finish };
}

test('two are at work at once, and the others when one of them ends', async () => {
  const { begun, ends, hash, finish } = slow(new Hashing(2));
  const all = Promise.all(['a', 'b', 'c', 'd'].map((who) => hash(who)));
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b']);
  ends.shift()?.();
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b', 'c']);
  await finish();
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('those who ask take turns, however often each has asked', async () => {
  const { begun, hash, finish } = slow(new Hashing(1));
  const all = Promise.all(
    ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => hash(name.charAt(0), name)),
  );
  await new Promise(setImmediate);
  await finish();
  await all;
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('where too many wait, one of whoever has most waiting is sent away, and nobody else', async () => {
  const { hash, finish } = slow(new Hashing(1));
  const flood = Array.from({ length: 100 }, () => hash('flood').catch((error: unknown) => error));
  const others = Promise.all(['a', 'b', 'c'].map((who) => hash(who)));
  await new Promise(setImmediate);
  await finish();
  expect(await others).toEqual(['a', 'b', 'c']);
  const refused = (await Promise.all(flood)).filter((each) => each !== 'flood');
  expect(refused).toHaveLength(100 - (1 + 32 - 3));
  expect(refused[0]).toMatchObject({ code: 'UNAVAILABLE' });
});

test('no account is sent away, nor any client for it', async () => {
  const { hash, finish } = slow(new Hashing(1));
  const all = Promise.all([
    ...Array.from({ length: 100 }, () => hash(1)),
    ...Array.from({ length: 32 }, () => hash('client')),
  ]);
  await new Promise(setImmediate);
  await finish();
  expect(await all).toHaveLength(132);
});

test('one that fails makes place for the next', async () => {
  const hashing = new Hashing(1);
  const failed = hashing.run('a', () => Promise.reject(new Error('no memory')));
  const next = hashing.run('b', async () => 'b');
  await expect(failed).rejects.toThrow('no memory');
  expect(await next).toBe('b');
});
