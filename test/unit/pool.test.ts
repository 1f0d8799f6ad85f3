/** Connections that break, or cannot be had. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPool } from '../../src/db/connections/pool.ts';
import { classify } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sendQuery } from '../../src/db/scheduler/prepared_query.ts';
import { unprepared } from '../../src/db/scheduler/statement_names.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { startDatabaseProxy } from '../kit/database_proxy.ts';

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

const quick = { connectTimeoutMs: 1000, statementTimeoutMs: 200 };

/** One connection to a database, and what statements on it failed with, each time that they did. */
async function onOneConnection() {
  const proxy = await startDatabaseProxy(file.url);
  const pool = openPool({ ...quick, url: proxy.url, poolSize: 1 });
  const client = await pool.connect();
  const failures: string[] = [];
  const run = (text: string, ms?: number) =>
    new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        failures.push(error.message);
        reject(error);
      };
      sendQuery(client, unprepared(text), [], resolve, fail, ms);
    });
  const close = async () => {
    await pool.end();
    await proxy.close();
  };
  return { proxy, pool, client, failures, run, close };
}

test('a connection that falls silent fails all that waits there, once, and the next gets another', async () => {
  const { proxy, pool, client, failures, run, close } = await onOneConnection();
  expect(await run('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  proxy.forsake();
  const began = performance.now();
  const waiting = [run('SELECT 2'), client.query('SELECT 3'), run('SELECT 4')];
  const failed = { status: 'rejected', reason: new Error('The database does not answer') };
  expect(await Promise.allSettled(waiting)).toEqual([failed, failed, failed]);
  // As long as PostgreSQL may take, and a second for the network.
  expect(performance.now() - began).toBeGreaterThan(1200);
  client.release(true);
  expect((await pool.query('SELECT 5 AS five')).rows).toEqual([{ five: 5 }]);
  expect(failures).toEqual(['The database does not answer', 'The database does not answer']);
  await close();
});

test('a look-up of Prisma’s on a connection that falls silent is UNAVAILABLE, and the next is answered', async () => {
  const proxy = await startDatabaseProxy(file.url);
  const database = await openDatabase({ ...quick, url: proxy.url, poolSize: 1 });
  const { account } = database.prisma();
  expect(await account.count()).toBe(0);
  proxy.forsake();
  const error = await account.count().catch((caught: unknown) => caught);
  expect(classify(error)).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await account.count()).toBe(0);
  await database.close();
  await proxy.close();
});

test('a statement with less time fails when that is over, and fails once', async () => {
  const { proxy, pool, client, failures, run, close } = await onOneConnection();
  expect(await run('SELECT 1 AS one', 100)).toEqual([{ one: 1 }]);
  proxy.forsake();
  await expect(run('SELECT 2', 300)).rejects.toThrow('Query read timeout');
  client.release(true);
  expect((await pool.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }]);
  expect(failures).toEqual(['Query read timeout']);
  await close();
});

test('a connection that is at work all the time, or has nothing to do, is not taken for silent', async () => {
  const pool = openPool({ ...quick, url: file.url, poolSize: 2 });
  const [busy, idle] = [await pool.connect(), await pool.connect()];
  const backends = async () => {
    const pid = 'SELECT pg_backend_pid() AS pid';
    return [(await busy.query(pid)).rows, (await idle.query(pid)).rows];
  };
  const before = await backends();
  const began = performance.now();
  while (performance.now() - began < 1600) await busy.query('SELECT pg_sleep(0.15)');
  expect(await backends()).toEqual(before);
  busy.release();
  idle.release();
  await pool.end();
});
