/** Streams that are behind read their pages in turns; those that wait for news hear it at once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Watching } from '../../src/context/context.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { follow } from '../../src/resources/changes/follow.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let seen: TestDatabase;
let db: Database;
beforeAll(async () => {
  seen = await createDatabase();
  db = await openDatabase({ url: seen.url });
});
afterAll(async () => {
  await db.close();
  await seen.close();
});

const streams = 10;

/** Streams that read when the test lets them, of accounts without changes. */
function reading() {
  const asked: { readonly accountId: number; readonly let: () => Promise<unknown> }[] = [];
  const listeners: (() => void)[] = [];
  const watch: Watching = {
    listen: (_, heard) => {
      listeners.push(heard);
      return () => undefined;
    },
    once: (key, ask) =>
      new Promise((resolve, reject) => {
        const { accountId } = JSON.parse(key);
        asked.push({ accountId, let: () => ask().then(resolve, reject) });
      }),
  };
  const hold = () => ({ signal: new AbortController().signal, end: () => undefined });
  const open = async (accountId: number) => {
    const wanted = { accountId, after: undefined, actions: [], limit: 1 };
    const pages = follow({ db, watch }, wanted, hold, 'from the beginning');
    for await (const _ of pages);
  };
  const letRead = async (count: number) => {
    await Promise.all(asked.splice(0, count).map((one) => one.let()));
    await settled();
  };
  return { asked, open, letRead, wake: () => listeners.map((heard) => heard()) };
}

const settled = () => new Promise(setImmediate);

const accountsOf = (asked: readonly { readonly accountId: number }[]) =>
  asked.map(({ accountId }) => accountId);

test('four streams read at a time, and another account has the next turn but one', async () => {
  const { asked, open, letRead } = reading();
  for (let n = 0; n < streams; n++) void open(1);
  void open(2);
  await settled();
  expect(accountsOf(asked)).toEqual([1, 1, 1, 1]);
  await letRead(2);
  expect(accountsOf(asked)).toEqual([1, 1, 1, 2]);
  // So that the other tests have turns.
  while (asked.length > 0) await letRead(4);
});

test('streams that wait for news ask for it all at once', async () => {
  const { asked, open, letRead, wake } = reading();
  for (let n = 0; n < streams; n++) void open(1);
  await settled();
  while (asked.length > 0) await letRead(4);
  wake();
  await settled();
  expect(asked).toHaveLength(streams);
});
