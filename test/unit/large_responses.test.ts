/** Large answers: one at a time, where there is room, each account in its turn. */
import { expect, test } from '@jest/globals';
import { largestBytes, ordinaryBytes } from '../../src/context/budget.ts';
import { LargeResponses, RequestBudget } from '../../src/http/limits/large_responses.ts';

const never = Number.POSITIVE_INFINITY;

/** Notes in which order readings began, and ends them on demand. */
function desk() {
  let room = largestBytes;
  const answers = new LargeResponses({ has: (_, bytes) => bytes <= room });
  const began: string[] = [];
  const enter = (name: string, account: number, bytes = 1, until = never) =>
    answers.enter(account, bytes, until).then((leave) => {
      began.push(name);
      return leave;
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    answers,
    began,
    enter,
    settle,
    setRoom: (bytes: number) => {
      room = bytes;
      answers.look();
    },
  };
}

test('they come one after the other, and an account that had none before one that had', async () => {
  const { enter, began, settle } = desk();
  const first = enter('first', 1);
  const second = enter('second', 1);
  const other = enter('other', 2);
  await settle();
  expect(began).toEqual(['first']);
  (await first)();
  await settle();
  expect(began).toEqual(['first', 'other']);
  (await other)();
  (await second)();
  expect(began).toEqual(['first', 'other', 'second']);
});

test('one for which there is no room lets others pass', async () => {
  const { enter, began, settle, setRoom } = desk();
  setRoom(10);
  const large = enter('large', 1, 20);
  (await enter('small', 2, 5))();
  expect(began).toEqual(['small']);
  setRoom(20);
  await settle();
  expect(began).toEqual(['small', 'large']);
  (await large)();
});

test('none waits longer than its request may take', async () => {
  const { enter, began } = desk();
  const leave = await enter('first', 1);
  await expect(enter('late', 2, 1, performance.now())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'Too many large answers are asked for, or not read',
  });
  leave();
  (await enter('next', 3))();
  expect(began).toEqual(['first', 'next']);
  // Without its deadline it would wait for five seconds.
}, 4000);

test('a request waits for its turn once it is large, and keeps it until its end', async () => {
  const { answers, settle, began, enter } = desk();
  const budget = new RequestBudget(answers, 1, never);
  expect(budget.spend(ordinaryBytes)).toBeUndefined();
  await budget.spend(1);
  await budget.large(1, async () => began.push('its own'));
  const next = enter('next', 1);
  await settle();
  expect(began).toEqual(['its own']);
  budget.end();
  (await next)();
  expect(began).toEqual(['its own', 'next']);
});

test('a request has no more than the largest answer in all', async () => {
  const { answers } = desk();
  const budget = new RequestBudget(answers, 1, never);
  await budget.large(largestBytes, async () => undefined);
  const max = {
    code: 'VALIDATION_FAILED',
    message: 'The answer would have more than 32 MiB: ask for a part of it',
  };
  expect(() => budget.spend(1)).toThrow(expect.objectContaining(max));
  expect(() => budget.large(1, async () => undefined)).toThrow(expect.objectContaining(max));
});

test('what the answer repeats counts as often', () => {
  const { answers } = desk();
  const budget = new RequestBudget(answers, 1, never);
  budget.repeats = 3;
  expect(() => budget.large(largestBytes / 2, async () => undefined)).toThrow('more than 32 MiB');
});

test('a reading of what turns out to be too much in all comes to nothing', async () => {
  const { answers, settle } = desk();
  const budget = new RequestBudget(answers, 1, never);
  let finish = (): void => undefined;
  const reading = budget.large(
    largestBytes,
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const refused = expect(reading).rejects.toThrow('The answer would have more than 32 MiB');
  await settle();
  expect(() => budget.spend(1)).toThrow('The answer would have more than 32 MiB');
  finish();
  await refused;
});

test('nothing large is read for an answer that turns out to be too large', async () => {
  const { answers, began, settle } = desk();
  const budget = new RequestBudget(answers, 1, never);
  const found: (() => void)[] = [];
  const readings = ['first', 'second'].map(async (name) => {
    await budget.ask(() => new Promise<void>((resolve) => found.push(resolve)));
    await budget.large(largestBytes, async () => began.push(name));
  });
  const refused = Promise.all(
    readings.map((reading) => expect(reading).rejects.toThrow('more than 32 MiB')),
  );
  found[0]?.();
  await settle();
  found[1]?.();
  await refused;
  await expect(budget.ask(async () => began.push('third'))).rejects.toThrow('more than 32 MiB');
  expect(began).toEqual([]);
});

test('a large reading waits for what else its request has asked for', async () => {
  const { answers, began, settle } = desk();
  const budget = new RequestBudget(answers, 1, never);
  let find = (): void => undefined;
  const asking = budget.ask(
    () =>
      new Promise<void>((resolve) => {
        find = resolve;
      }),
  );
  const reading = budget.large(1, async () => began.push('large'));
  await settle();
  expect(began).toEqual([]);
  find();
  await asking;
  await reading;
  expect(began).toEqual(['large']);
});

test('large readings of one request come one after the other', async () => {
  const { answers, settle } = desk();
  const budget = new RequestBudget(answers, 1, never);
  const finish: (() => void)[] = [];
  const read = () => new Promise<void>((resolve) => finish.push(resolve));
  const both = [budget.large(1, read), budget.large(1, read)];
  await settle();
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await settle();
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await Promise.all(both);
});

test('what a request still reads when it is over takes no turn from others', async () => {
  const { answers, began, enter } = desk();
  const budget = new RequestBudget(answers, 1, never);
  budget.end();
  const read = async () => began.push('read for nobody');
  await expect(budget.large(ordinaryBytes, read)).rejects.toThrow('Its request is over');
  (await enter('next', 2))();
  expect(began).toEqual(['next']);
});

test('a request that is over while it waits for its turn gives it up', async () => {
  const { answers, began, enter, settle } = desk();
  const leave = await enter('first', 1);
  const budget = new RequestBudget(answers, 2, never);
  const reading = budget.large(ordinaryBytes, async () => began.push('read for nobody'));
  const refused = expect(reading).rejects.toThrow('Too many large answers');
  await settle();
  budget.end();
  leave();
  await refused;
  expect(began).toEqual(['first']);
});
