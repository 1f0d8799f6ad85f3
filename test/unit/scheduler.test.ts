/** Who gets the connections of a pool. */
import { expect, test } from '@jest/globals';
import type { Lease, Use } from '../../src/db/scheduler/account_queue.ts';
import { ConnectionScheduler } from '../../src/db/scheduler/scheduler.ts';

const read = (account: number | undefined, kind = 'short'): Use => ({
  account,
  writes: false,
  kind,
});
const write = (account: number): Use => ({ account, writes: true });

/** Takes seats and notes in which order waiting callers got one. */
function office(size: number, patienceMs = 5000) {
  const seats = new ConnectionScheduler(size, patienceMs);
  const order: string[] = [];
  const failed: unknown[] = [];
  const taken = new Map<string, Lease>();
  const take = (name: string, use: Use): 'seated' | 'waits' => {
    const taking = seats.acquire(use);
    const seated = (seat: Lease) => {
      taken.set(name, seat);
      order.push(name);
    };
    if (!(taking instanceof Promise)) {
      seated(taking);
      return 'seated';
    }
    taking.then(seated, (error: unknown) => failed.push(error));
    return 'waits';
  };
  const release = async (...names: string[]) => {
    for (const name of names) taken.get(name)?.release();
    await Promise.resolve();
  };
  return { order, failed, take, release };
}

/** Passes time as the process sees it, without leaving it to others. */
function pass(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('an account alone gets all connections but one, which the next account finds free', async () => {
  const { take } = office(4);
  const own = ['a', 'b', 'c', 'd'].map((name) => take(name, read(1)));
  expect(own).toEqual(['seated', 'seated', 'seated', 'waits']);
  expect(take('other', read(2))).toBe('seated');
});

test('beside another an account gets no more than half', async () => {
  const { take } = office(4);
  take('other', read(2));
  expect(['a', 'b', 'c'].map((name) => take(name, read(1)))).toEqual(['seated', 'seated', 'waits']);
});

test('an account that had more than half gets none until it has less', async () => {
  const { take, release, order } = office(4);
  for (const name of ['a', 'b', 'c', 'more', 'and more']) take(name, read(1));
  take('other', read(2));
  await release('a');
  expect(order).not.toContain('more');
  await release('b');
  expect(order).toContain('more');
  expect(order).not.toContain('and more');
});

test('of those who wait the account goes first that used less time', async () => {
  const { take, release, order } = office(2);
  take('long', read(1));
  pass(5);
  take('short', read(2));
  take('again', read(1));
  take('other', read(3));
  await release('long');
  expect(order.slice(2)).toEqual(['other']);
  await release('short');
  expect(order.slice(3)).toEqual(['again']);
});

test('writers leave a connection to what only reads', async () => {
  const { take } = office(4);
  expect(['a', 'b', 'c'].map((name) => take(name, write(1)))).toEqual([
    'seated',
    'seated',
    'waits',
  ]);
  expect(take('read', read(1))).toBe('seated');
});

test('of many connections eleven are for reads, and the others for writes of an account that is alone', () => {
  const { take } = office(24);
  const seated = (use: Use) =>
    Array.from({ length: 30 }, (_, at) => take(`${use.writes} ${at}`, use)).filter(
      (how) => how === 'seated',
    ).length;
  expect(seated(read(1))).toBe(11);
  expect(seated(write(1))).toBe(12);
  expect(take('other', read(2))).toBe('seated');
});

test('a reader does not wait behind writers of its account', async () => {
  const { take, release, order } = office(3);
  for (const name of ['write', 'blocked']) take(name, write(1));
  take('read', read(1));
  take('waits', read(1));
  expect(order).toEqual(['write', 'read']);
  await release('read');
  expect(order).toEqual(['write', 'read', 'waits']);
});

test('what is known to take long leaves connections to short work, which overtakes it', async () => {
  const { take, release, order } = office(6);
  take('known as short', read(1));
  await release('known as short');
  take('known', read(1, 'long'));
  pass(60);
  await release('known');
  const began = ['a', 'b', 'c', 'd'].map((name) => take(name, read(1, 'long')));
  expect(began).toEqual(['seated', 'seated', 'seated', 'waits']);
  for (const name of ['e', 'f']) take(name, read(1));
  take('g', read(1));
  await release('a');
  expect(order.slice(2)).toEqual(['a', 'b', 'c', 'e', 'f', 'g']);
});

test('what turns out to be long counts as long', async () => {
  const { take } = office(5);
  for (const name of ['a', 'b']) take(name, read(1));
  pass(60);
  take('known', read(1, 'known'));
  expect(take('long', read(1, 'long'))).toBe('seated');
});

test('an account whose unknown work was long is not taken for one of short work', async () => {
  const { take, release } = office(10);
  take('other', read(2));
  for (const name of ['a', 'b', 'c']) {
    take(name, read(1, `new ${name}`));
    pass(60);
    await release(name);
  }
  const tries = Array.from({ length: 40 }, (_, n) => {
    const name = `try ${n}`;
    return take(name, read(1, name));
  });
  expect(tries.filter((how) => how === 'seated')).toHaveLength(2);
});

test("the service's own work has no share", async () => {
  const { take } = office(3);
  take('other', read(1));
  expect(take('a', read(undefined))).toBe('seated');
  expect(take('b', read(undefined))).toBe('seated');
});

test('who waits too long is told that the database is busy, and the next one is served', async () => {
  const { take, release, failed, order } = office(2, 10);
  take('a', read(1));
  take('late', read(1));
  while (failed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(failed).toEqual([
    expect.objectContaining({ code: 'UNAVAILABLE', message: 'The database is busy' }),
  ]);
  await release('a');
  expect(take('b', read(1))).toBe('seated');
  expect(order).toEqual(['a', 'b']);
});

test('who has no more time is told so, and those with time wait on', async () => {
  const { take, release, failed, order } = office(2);
  take('a', read(1));
  take('waits', read(1));
  take('late', { ...read(1), until: performance.now() + 10 });
  while (failed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await release('a');
  expect(order).toEqual(['a', 'waits']);
  expect(failed).toEqual([
    expect.objectContaining({ code: 'UNAVAILABLE', message: 'The database is busy' }),
  ]);
});

test('a seat is given back once, however often', async () => {
  const { take, release, order } = office(2);
  take('a', read(1));
  take('b', read(1));
  take('c', read(1));
  await release('a', 'a', 'a');
  expect(order).toEqual(['a', 'b']);
});
