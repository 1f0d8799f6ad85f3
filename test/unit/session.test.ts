import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkSession } from '../../src/db/connections/session.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let file: TestDatabase;
beforeAll(async () => {
  file = await createDatabase();
});
afterAll(() => file.close());

/** What is said of sessions in which something has been set. */
async function sessionWith(setting: string): Promise<unknown> {
  const database = await openDatabase({ url: file.url, poolSize: 1, statementTimeoutMs: 3000 });
  try {
    await database.query({ text: `SET ${setting}`, values: [] });
    return await checkSession(database, 3000).catch((error) => error.message);
  } finally {
    await database.close();
  }
}

test.each(['application_name = x', 'statement_timeout = 2000', "TimeZone = 'Etc/UTC'"])(
  'a session with %s is as it must be',
  async (setting) => {
    expect(await sessionWith(setting)).toBeUndefined();
  },
);

test.each([
  ['statement_timeout = 0', "statement_timeout = '3000ms'"],
  ['statement_timeout = 3001', "statement_timeout = '3000ms'"],
  ['lock_timeout = 0', "lock_timeout = '1100ms'"],
  ['idle_in_transaction_session_timeout = 0', "idle_in_transaction_session_timeout = '6000ms'"],
  ["TimeZone = 'Europe/London'", "TimeZone = 'UTC'"],
])('a session with %s is refused, with what cures it', async (setting, cure) => {
  const message = await sessionWith(setting);
  expect(message).toMatch(/as behind a pooler that ignores them/);
  expect(message).toMatch(new RegExp(`\n {2}ALTER ROLE "\\w+" SET ${cure};$`));
});

test('all that is wrong with a session is told together', async () => {
  const database = await openDatabase({ url: file.url, poolSize: 1 });
  await database.query(sql`SET lock_timeout = 0`);
  await database.query(sql`SET statement_timeout = 0`);
  await expect(checkSession(database, 5000)).rejects.toThrow(
    /statement_timeout[\s\S]*lock_timeout/,
  );
  await database.close();
});
