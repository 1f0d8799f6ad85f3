import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  answer,
  Counters,
  type QuotaReply,
  type QuotaRequest,
  WorkerQuota,
} from '../../src/http/limits/allowance.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Workers whose messages to the process that counts take a turn each way. */
function workersOf(max: number, count: number) {
  const allowances = new Counters(max);
  let messages = 0;
  const workers = Array.from({ length: count }, () => {
    const shares: WorkerQuota = new WorkerQuota((asked: QuotaRequest) => {
      messages += 1;
      void Promise.resolve().then(() => {
        const answered: QuotaReply | undefined = answer(allowances, count, asked);
        if (answered) shares.receive(answered);
      });
    });
    return shares;
  });
  return { workers, messages: () => messages };
}

const isGiven = async (shares: WorkerQuota | undefined, caller = 'token 1') =>
  (await shares?.take(caller))?.given === 1;

test('a caller has so many requests in the minute that the first one begins, and all again after it', () => {
  const allowances = new Counters(2);
  const given = () => allowances.take('token 1', 1);
  expect([given(), given(), given()]).toEqual([
    { given: 1, left: 1, until: 1_060_000 },
    { given: 1, left: 0, until: 1_060_000 },
    { given: 0, left: 0, until: 1_060_000 },
  ]);
  expect(allowances.take('token 2', 1).given).toBe(1);
  jest.setSystemTime(1_060_000);
  expect(given()).toEqual({ given: 1, left: 1, until: 1_120_000 });
});

describe('workers that share what one process counts', () => {
  test.each([1, 5, 20, 79])('let exactly %d requests through, whoever is asked', async (max) => {
    const { workers } = workersOf(max, 4);
    const asked = Array.from({ length: max + 40 }, (_, n) => isGiven(workers[(n >> 1) % 4]));
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(max);
  });

  test('never let more through, and nearly all of them at once', async () => {
    const { workers, messages } = workersOf(10_000, 4);
    const given = [0, 0, 0, 0];
    for (let n = 0; n < 12_000; n++) {
      const at = n % 4;
      if (await isGiven(workers[at])) given[at] = (given[at] ?? 0) + 1;
    }
    expect(given.reduce((sum, each) => sum + each)).toBe(10_000);
    // Most of the messages are of those that are refused.
    expect(messages()).toBeLessThan(3000);
  });

  test('give back what one of them does not use', async () => {
    const { workers } = workersOf(8000, 2);
    expect(await isGiven(workers[0])).toBe(true);
    let given = 1;
    while (await isGiven(workers[1])) given += 1;
    expect(given).toBe(8000 - Math.floor(7999 / 40));
    jest.advanceTimersByTime(250);
    await Promise.resolve();
    await Promise.resolve();
    while (await isGiven(workers[1])) given += 1;
    expect(given).toBe(8000);
  });

  test('tell how many are left, as nearly as a worker knows', async () => {
    const { workers } = workersOf(100, 2);
    const lefts: (number | undefined)[] = [];
    for (let n = 0; n < 4; n++) lefts.push((await workers[0]?.take('token 1'))?.left);
    expect(lefts).toEqual([99, 98, 97, 96]);
  });
});
