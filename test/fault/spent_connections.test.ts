/** Connections that would go on failing are given up at the first error. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw, sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let file: TestDatabase;
let single: Database;
beforeAll(async () => {
  file = await createDatabase();
});
beforeEach(async () => {
  single = await openDatabase({ url: file.url, poolSize: 1 });
});
afterEach(() => single.close());
afterAll(() => file.close());

const number = sql`SELECT ${3}::int AS n`;
const ask = () => single.query(number);
const askInside = () => single.transaction((tx) => tx.query(number));
const unavailable = { code: 'UNAVAILABLE' };

/** What a pooler may do: give the connection another session. */
const forget = () => single.query(sql`DEALLOCATE ALL`);
async function take(): Promise<void> {
  const [prepared] = await single.query<{ name: string }>(
    sql`SELECT name FROM pg_prepared_statements`,
  );
  await single.query(sql`SELECT pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);
  await single.query(raw(`PREPARE "${prepared?.name}" AS SELECT 1`));
}

test.each([
  ['gone', forget, ask],
  ['taken', take, ask],
  ['gone, in a transaction,', forget, askInside],
  ['taken, in a transaction,', take, askInside],
])('a prepared statement whose name is %s on the server is UNAVAILABLE once', async (...row) => {
  const [, disturb, again] = row;
  await again();
  await disturb();
  await expect(again()).rejects.toMatchObject(unavailable);
  expect(await again()).toEqual([{ n: 3 }]);
});

test('a connection to what has become read-only is UNAVAILABLE once', async () => {
  await single.query(sql`SET default_transaction_read_only = on`);
  const write = () => single.query(sql`CREATE TABLE written ()`);
  await expect(write()).rejects.toMatchObject(unavailable);
  expect(await write()).toEqual([]);
});
