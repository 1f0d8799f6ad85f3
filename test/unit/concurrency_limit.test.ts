import { expect, test } from '@jest/globals';
import { ConcurrencyLimit } from '../../src/lib/concurrency_limit.ts';

/** Work that ends when the test says so. */
function slow(limit: ConcurrencyLimit<string>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (who: string, name = who) =>
    limit.run(who, () => {
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
  return { begun, ends, ask, finish };
}

test('two are at work at once, and the others when one of them ends', async () => {
  const { begun, ends, ask, finish } = slow(new ConcurrencyLimit(2));
  const all = Promise.all(['a', 'b', 'c', 'd'].map((who) => ask(who)));
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b']);
  ends.shift()?.();
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b', 'c']);
  await finish();
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('those who ask take turns, however often each has asked', async () => {
  const { begun, ask, finish } = slow(new ConcurrencyLimit(1));
  const all = Promise.all(
    ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name.charAt(0), name)),
  );
  await new Promise(setImmediate);
  await finish();
  await all;
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('where too many wait, one of whoever has most waiting is sent away, and nobody else', async () => {
  const { ask, finish } = slow(new ConcurrencyLimit(1, { max: 32, refusal: 'Too many ask' }));
  const flood = Array.from({ length: 100 }, () => ask('flood').catch((error: unknown) => error));
  const others = Promise.all(['a', 'b', 'c'].map((who) => ask(who)));
  await new Promise(setImmediate);
  await finish();
  expect(await others).toEqual(['a', 'b', 'c']);
  const refused = (await Promise.all(flood)).filter((each) => each !== 'flood');
  expect(refused).toHaveLength(100 - (1 + 32 - 3));
  expect(refused[0]).toMatchObject({ code: 'UNAVAILABLE', message: 'Too many ask' });
});

test('where nothing is said, any number may wait', async () => {
  const { ask, finish } = slow(new ConcurrencyLimit(1));
  const all = Promise.all(Array.from({ length: 100 }, () => ask('one')));
  await new Promise(setImmediate);
  await finish();
  expect(await all).toHaveLength(100);
});

test('one that fails makes place for the next', async () => {
  const limit = new ConcurrencyLimit<string>(1);
  const failed = limit.run('a', () => Promise.reject(new Error('no memory')));
  const next = limit.run('b', async () => 'b');
  await expect(failed).rejects.toThrow('no memory');
  expect(await next).toBe('b');
});

test('of one asker no more is at work at once than is said, whatever places are free', async () => {
  const { begun, ends, ask, finish } = slow(new ConcurrencyLimit(2, undefined, 1));
  const all = Promise.all(['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ask(name.charAt(0), name)));
  await new Promise(setImmediate);
  expect(begun).toEqual(['a1', 'b1']);
  ends.pop()?.();
  await new Promise(setImmediate);
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await finish();
  expect(await all).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});
