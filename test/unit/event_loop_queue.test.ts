/** How what keeps the process busy is let through. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { EventLoopQueue } from '../../src/lib/event_loop_queue.ts';

const work = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('lets one through in a turn of the event loop', async () => {
  const queue = new EventLoopQueue();
  let passed = 0;
  const all = Promise.all(
    [1, 2, 3, 4].map(async (accountId) => {
      await queue.waitForTurn(accountId);
      passed += 1;
    }),
  );
  const inTurn: number[] = [];
  for (let before = passed; before < 4; before = passed) {
    await turn();
    inTurn.push(passed - before);
  }
  await all;
  expect(Math.max(...inTurn)).toBe(1);
});

test('accounts take turns, each in the order in which it came', async () => {
  const queue = new EventLoopQueue();
  const passed: string[] = [];
  const pass = async (accountId: number, name: string) => {
    await queue.waitForTurn(accountId);
    passed.push(name);
  };
  await Promise.all([
    pass(1, 'a1'),
    pass(1, 'a2'),
    pass(1, 'a3'),
    pass(2, 'b1'),
    pass(2, 'b2'),
    pass(3, 'c1'),
  ]);
  expect(passed).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('leaves the loop to others for twice as long as the work took, whatever is awaited in it', async () => {
  const queue = new EventLoopQueue();
  const each = 10;
  const times = 10;
  const began = performance.now();
  for (let time = 0; time < times; time += 1) {
    await queue.waitForTurn(1);
    work(each / 2);
    await Promise.resolve();
    work(each / 2);
  }
  // There is no rest before the first and none after the last that is waited for.
  const busy = (times * each) / (performance.now() - began);
  expect(busy).toBeLessThan(0.4);
});
