import { expect, test } from '@jest/globals';
import { Portions } from '../../src/lib/portions.ts';

test('long work leaves the event loop to others again and again, and short work is done at once', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const busy = () => {
    for (const end = performance.now() + 1; performance.now() < end; );
  };
  const portions = new Portions(1);
  await portions.each(Array.from({ length: 50 }), busy);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(9);
  let isDone = false;
  const short = new Portions(1)
    .map([1, 2, 3], (number) => number * 2)
    .then((made) => {
      isDone = true;
      return made;
    });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  expect(isDone).toBe(true);
  expect(await short).toEqual([2, 4, 6]);
});
