/** Connections that break, or cannot be had. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { openPool } from '../../src/db/pool.ts';
import { sql } from '../../src/db/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let file: TestDatabase;
beforeAll(async () => {
  file = await createDatabase();
});
afterAll(() => file.close());

test('a connection that breaks as it is given out fails its statement, and not the process', async () => {
  const pool = openPool({
    url: file.url,
    poolSize: 1,
    connectTimeoutMs: 500,
    statementTimeoutMs: 500,
  });
  const client = await pool.connect();
  // As the driver does where PostgreSQL says at once that it is ready and that it ends.
  client.emit('error', new Error('terminating connection'));
  client.release(true);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('a connection that cannot even be begun fails those who wait for one, and takes no place', async () => {
  const url = `${file.url}?sslrootcert=/nowhere.pem`;
  const unlucky = await openDatabase({ url, poolSize: 1 });
  const missing = { status: 'rejected', reason: { code: 'ENOENT' } };
  expect(
    await Promise.allSettled([1, 2, 3].map((n) => unlucky.query(sql`SELECT ${n}::integer`))),
  ).toMatchObject([missing, missing, missing]);
  await unlucky.close();
});
