/** What the root fields of one request share while they run. */
import { expect, test } from '@jest/globals';
import { Bounds } from '../../src/graphql/guard/bounds.ts';

/**
 * Has ten root fields run, and says how many were at work as each began.
 * @param large which of them makes the answer large, if any
 */
async function atWork(large?: number): Promise<number[]> {
  const budget = { isLarge: false };
  const bounds = new Bounds({ viewer: { accountId: 1 }, budget }, false, false);
  const begun: number[] = [];
  let running = 0;
  const one = async (n: number) => {
    running += 1;
    begun.push(running);
    await new Promise((resolve) => setImmediate(resolve));
    budget.isLarge ||= n === large;
    running -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => bounds.resolve(() => one(n))));
  return begun;
}

test('four are at work at once', async () => {
  expect(await atWork()).toEqual([1, 2, 3, 4, 4, 4, 4, 4, 4, 4]);
});

test('of a large answer one is, as soon as those have ended that had begun', async () => {
  expect(await atWork(0)).toEqual([1, 2, 3, 4, 1, 1, 1, 1, 1, 1]);
});
