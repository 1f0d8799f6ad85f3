/** How what keeps the process busy is let through. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { EventLoopQueue, shareToSend } from '../../src/lib/event_loop_queue.ts';

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

describe('rests', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Milliseconds until accounts have their turns, after a piece of the first one that took `ms`. */
  const waits = async (ms: number, accounts: readonly number[]) => {
    const queue = new EventLoopQueue();
    await queue.waitForTurn(1);
    jest.advanceTimersByTime(ms);
    const began = performance.now();
    const came: Record<number, number> = {};
    for (const account of accounts) {
      void queue.waitForTurn(account).then(() => {
        came[account] = performance.now() - began;
      });
    }
    for (let n = 0; n < 12_000 && Object.keys(came).length < accounts.length; n += 1) {
      await turn();
      jest.advanceTimersByTime(1);
    }
    return came;
  };

  test('after five seconds of work its account waits for a second, and another for 50 ms', async () => {
    const { 1: own = 0, 2: other = 0 } = await waits(5000, [1, 2]);
    expect(own).toBeGreaterThan(990);
    expect(own).toBeLessThan(1010);
    expect(other).toBeGreaterThan(40);
    expect(other).toBeLessThan(60);
  });

  test('after 10 ms of work everybody waits for 20', async () => {
    const { 1: own = 0, 2: other = 0 } = await waits(10, [1, 2]);
    expect(other).toBeGreaterThan(15);
    expect(own).toBeLessThan(26);
  });

  test('an account that comes while another rests need not wait for it', async () => {
    const { 1: own = 0, 2: second = 0, 3: third = 0 } = await waits(200, [1, 2, 3]);
    expect([second, third].map((ms) => ms < 60)).toEqual([true, true]);
    expect(own).toBeGreaterThan(390);
  });
});

test('pieces of one account share a turn while they fit, and of another they do not', async () => {
  const queue = new EventLoopQueue();
  const passed: string[] = [];
  const wait = (accountId: number, share: number) =>
    queue.waitForTurn(accountId, share).then(() => passed.push(`${accountId}`));
  const all = Promise.all([wait(1, 1 / 2), wait(1, 1 / 2), wait(1, 1 / 2), wait(2, 1 / 2)]);
  const inTurn: string[] = [];
  while (passed.length > 0 || inTurn.join('').length < 4) {
    await turn();
    if (passed.length > 0) inTurn.push(passed.splice(0).join(''));
  }
  await all;
  expect(inTurn).toEqual(['11', '2', '1']);
});

test('what is sent to one client takes a share of a turn by its bytes', () => {
  expect([0, 1024, 256 * 1024, 10_000_000].map(shareToSend)).toEqual([1 / 32, 1 / 32, 1 / 2, 1]);
});
