/**
 * The audit trail is kept by months, which are made ahead of time and dropped when they are no
 * longer kept.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { dropMonths, makeMonths } from '../../src/resources/audit/months.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

const day = 86_400;

let seen: TestDatabase;
let database: Database;
beforeEach(async () => {
  seen = await createDatabase();
  database = await openDatabase({ url: seen.url });
  await seen.query("INSERT INTO accounts (id, name) VALUES (1, 'One')");
});
afterEach(async () => {
  await database.close();
  await seen.close();
});

const write = (account: number, at: string) =>
  seen.query<{ id: number }>(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id, created_at)
     VALUES ($1, 'contact.create', 'contact', 1, $2) RETURNING id`,
    [account, at],
  );

/** Writes an entry, and says in which table it is. */
async function monthOf(at: string): Promise<string | undefined> {
  const [written] = await write(1, at);
  const tables = await seen.query<{ month: string }>(
    "SELECT inhrelid::regclass::text AS month FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass",
  );
  for (const { month } of tables) {
    const found = await seen.query(`SELECT id FROM ${month} WHERE id = $1`, [written?.id]);
    if (found.length > 0) return month;
  }
  return undefined;
}

/** The first day of a month, so many after the end of what was there at the migration. */
async function later(months: number): Promise<Date> {
  const [row] = await seen.query<{ end: string }>(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM $$TO \\('(.*)'\\)$$)::timestamptz::text AS end
     FROM pg_class WHERE relname = 'audit_entries_first'`,
  );
  const end = new Date(row?.end ?? '');
  return new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + months));
}

const nameOf = (month: Date) =>
  `audit_entries_${month.toISOString().slice(0, 7).replace('-', '_')}`;

test('what is written in the month of the migration and the next needs no month to be made', async () => {
  const [migration, next] = [await later(-2), await later(-1)];
  expect(await makeMonths(database, migration)).toEqual([]);
  expect(await monthOf(migration.toISOString())).toBe('audit_entries_first');
  expect(await monthOf(next.toISOString())).toBe('audit_entries_first');
});

test('months are made up to the next one, and each entry goes to its own', async () => {
  const [first, second, third] = [await later(0), await later(1), await later(2)];
  expect(await makeMonths(database, second)).toEqual([first, second, third].map(nameOf));
  expect(await makeMonths(database, second)).toEqual([]);
  expect(await monthOf(second.toISOString())).toBe(nameOf(second));
  expect(await monthOf(new Date(second.getTime() - 1).toISOString())).toBe(nameOf(first));
});

test('an entry that came before its month is kept, and goes to it', async () => {
  const month = await later(0);
  const early = month.toISOString();
  expect(await monthOf(early)).toBe('audit_entries_other');
  await makeMonths(database, month);
  expect(await seen.query(`SELECT created_at FROM ${nameOf(month)}`)).toEqual([
    { created_at: month },
  ]);
});

test('several processes make and drop each month once', async () => {
  const months = (await Promise.all([0, 1, 2, 3, 4].map(later))).map(nameOf);
  const now = await later(3);
  const made = await Promise.all([1, 2, 3].map(() => makeMonths(database, now)));
  expect(made.flat().sort()).toEqual(months);
  const dropped = await Promise.all([1, 2, 3].map(() => dropMonths(database, now, day)));
  expect(dropped.flat().sort()).toEqual([...months.slice(0, 2), 'audit_entries_first']);
});

test('a month goes when its last day is older than what is kept', async () => {
  const [first, second] = [await later(0), await later(1)];
  await makeMonths(database, second);
  await write(1, new Date(first.getTime() - 1000).toISOString());
  await write(1, first.toISOString());
  const now = new Date(second.getTime() + 10 * day * 1000);
  expect(await dropMonths(database, now, 50 * day)).toEqual([]);
  expect(await dropMonths(database, now, 30 * day)).toEqual(['audit_entries_first']);
  expect(await seen.query('SELECT created_at FROM audit_entries')).toEqual([{ created_at: first }]);
});
