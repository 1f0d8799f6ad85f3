import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let file: TestDatabase;
let database: Database;
const said: string[] = [];

beforeAll(async () => {
  file = await createDatabase();
  database = await openDatabase({
    url: file.url,
    poolSize: 1,
    connectTimeoutMs: 500,
    onStatement: (text) => said.push(text),
  });
  await database.query(sql`CREATE TABLE notes (id bigint PRIMARY KEY)`);
});

afterEach(async () => {
  await database.query(sql`DELETE FROM notes`);
  said.length = 0;
});

afterAll(async () => {
  await database.close();
  await file.close();
});

const insert = (id: number) => sql`INSERT INTO notes VALUES (${id})`;
/** What others see, in order. */
const committed = async () => {
  const rows = await file.query<{ id: string }>('SELECT id FROM notes ORDER BY id');
  return rows.map(({ id }) => Number(id));
};
const taken = { kind: 'unique' };

test('writes become one transaction, seen by all once it is committed', async () => {
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await shared.transaction(async (tx) => {
    await tx.query(insert(2));
    expect(await tx.query(sql`SELECT id FROM notes`)).toEqual([{ id: 1 }, { id: 2 }]);
  });
  expect(await shared.query(sql`SELECT count(*) AS n FROM notes`, { reads: true })).toEqual([
    { n: 2 },
  ]);
  expect(await committed()).toEqual([]);
  await shared.commit(insert(3));
  expect(await committed()).toEqual([1, 2, 3]);
});

test('what is asked before anything is written begins none', async () => {
  const shared = database.sharedTransaction();
  await shared.query(sql`SELECT 1`, { reads: true });
  await shared.commit(insert(1));
  expect(said).toEqual(['SELECT 1', 'INSERT INTO notes VALUES ($1)']);
  expect(await committed()).toEqual([1]);
});

test('a part that fails leaves those before it, and may be done again', async () => {
  const shared = database.sharedTransaction();
  await expect(
    shared.transaction(async (tx) => {
      await tx.query(insert(1));
      await tx.query(insert(1));
    }),
  ).rejects.toMatchObject(taken);
  await shared.query(insert(2));
  await expect(
    shared.transaction(async (tx) => {
      await tx.query(insert(3));
      await tx.query(insert(2)).catch(() => undefined);
    }),
  ).rejects.toMatchObject(taken);
  await shared.transaction(async (tx) => {
    await tx.query(insert(4));
  });
  await expect(shared.query(insert(2))).rejects.toMatchObject(taken);
  await shared.query(insert(5));
  await shared.commit(insert(6));
  expect(await committed()).toEqual([2, 4, 5, 6]);
});

test('a part that throws before it asks for anything undoes nothing', async () => {
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await expect(shared.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await shared.query(insert(2));
  await shared.commit(insert(3));
  expect(await committed()).toEqual([1, 2, 3]);
});

test('a last statement that fails undoes all of it', async () => {
  await database.query(insert(9));
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await expect(shared.commit(insert(9))).rejects.toMatchObject(taken);
  expect(await committed()).toEqual([9]);
});

test('what is rolled back is gone, and the connection is free', async () => {
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await shared.rollback();
  await shared.rollback();
  await database.query(insert(2));
  expect(await committed()).toEqual([2]);
});

test('a connection that breaks in between loses all of it, and says so', async () => {
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await file.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'crm' AND datname = current_database()`,
  );
  await expect(shared.query(insert(2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(shared.commit(insert(3))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await database.query(insert(4));
  expect(await committed()).toEqual([4]);
});

test('it begins together with its first statement, and ends together with its last', async () => {
  const shared = database.sharedTransaction();
  await shared.query(insert(1));
  await shared.commit(insert(2));
  const text = 'INSERT INTO notes VALUES ($1)';
  expect(said).toEqual(['BEGIN', text, text, 'COMMIT']);
});
