/** Who listens for changes of an account hears of them, at the cost of one statement for everybody. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { Watch } from '../../src/resources/changes/watch.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/wait.ts';

let seen: TestDatabase;
let database: Database;
const statements: string[] = [];
beforeAll(async () => {
  seen = await createDatabase();
  database = await openDatabase({ url: seen.url, onStatement: (text) => statements.push(text) });
});
afterAll(async () => {
  await database.close();
  await seen.close();
});

/** So that a test takes no longer than it must. */
const pauseMs = 20;

const insert = `INSERT INTO audit_entries (account_id, action, record_type, record_id)
  VALUES ($1, 'contact.create', 'contact', 1)`;

async function account(): Promise<number> {
  const [row] = await seen.query<{ id: number }>(
    "INSERT INTO accounts (name, updated_at) VALUES ('Watched', now()) RETURNING id",
  );
  if (!row) throw new Error('no account was made');
  return row.id;
}

/** Listens, and waits for the first call, which comes without a change. */
async function listening(watch: Watch, id: number) {
  const heard = { times: 0 };
  watch.listen(id, () => heard.times++);
  await until(
    async () => heard.times,
    (times) => times > 0,
    5000,
  );
  heard.times = 0;
  return { heard };
}

/** The looks that the watch has taken so far. */
const looks = async () => statements.length;

test('those of the account are called, and those of others are not', async () => {
  const watch = new Watch(database, pauseMs);
  const [one, other] = [await account(), await account()];
  const [mine, theirs] = await Promise.all([listening(watch, one), listening(watch, other)]);
  await seen.query(insert, [one]);
  expect(
    await until(
      async () => mine.heard.times,
      (times) => times > 0,
      5000,
    ),
  ).toBe(1);
  expect(theirs.heard.times).toBe(0);
  watch.close();
});

test('a change is not heard of before everything that precedes it can be read', async () => {
  const watch = new Watch(database, pauseMs);
  const id = await account();
  const { heard } = await listening(watch, id);
  // It has its place in the order, and has written nothing yet.
  const end = await seen.hold('SELECT pg_current_xact_id()');
  await seen.query(insert, [id]);
  const before = await looks();
  await until(looks, (now) => now >= before + 2, 5000);
  expect(heard.times).toBe(0);
  await end();
  expect(
    await until(
      async () => heard.times,
      (times) => times > 0,
      5000,
    ),
  ).toBe(1);
  watch.close();
});

test('a thousand who listen cost one statement at a time, and nobody who listens none', async () => {
  const watch = new Watch(database, pauseMs);
  const ids = await Promise.all([account(), account(), account()]);
  const before = await looks();
  const stops: (() => void)[] = [];
  const asked = await new Promise<number>((resolve) => {
    let called = 0;
    const heard = () => ++called === 1000 && resolve(statements.length - before);
    for (let at = 0; at < 1000; at++) stops.push(watch.listen(ids[at % ids.length] ?? 0, heard));
  });
  expect(asked).toBe(1);
  for (const stop of stops) stop();
  const later = new Watch(database, 5 * pauseMs);
  await listening(later, ids[0] ?? 0);
  // Accounts whose listeners have stopped may have been looked for once more at that moment.
  expect(statements.length - before).toBeLessThanOrEqual(3);
  later.close();
  watch.close();
});

test('who listens goes on when the database was away', async () => {
  const watch = new Watch(database, pauseMs);
  const id = await account();
  const { heard } = await listening(watch, id);
  await seen.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'crm'`,
  );
  await seen.query(insert, [id]);
  expect(
    await until(
      async () => heard.times,
      (times) => times > 0,
      5000,
    ),
  ).toBeGreaterThan(0);
  watch.close();
});
