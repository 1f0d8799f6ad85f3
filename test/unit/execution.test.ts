import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { PreparedQuery, sendQuery } from '../../src/db/scheduler/prepared_query.ts';
import { given } from '../kit/environment.ts';

let client: pg.Client;
let described = 0;

beforeAll(async () => {
  client = new pg.Client({ connectionString: given('CRM_TEST_DATABASE'), pipeline: true });
  await client.connect();
  client.connection.on('rowDescription', () => {
    described += 1;
  });
});

afterAll(() => client.end());

const run = (name: string, text: string, ...values: unknown[]) =>
  new Promise<unknown[]>((resolve, reject) => {
    sendQuery(client, { name, text }, values, resolve, reject);
  });

test('a statement that stays prepared has its columns described once', async () => {
  const text = 'SELECT $1::bigint AS a, NULL AS b FROM generate_series(1, $2)';
  described = 0;
  expect(await run('once', text, 1, 2)).toEqual([
    { a: 1, b: null },
    { a: 1, b: null },
  ]);
  expect(await run('once', text, 3, 0)).toEqual([]);
  expect(await run('once', text, 4, 1)).toEqual([{ a: 4, b: null }]);
  expect(described).toBe(1);
});

test('several at once on a connection get their own rows, of whatever kind they are', async () => {
  const twice = (value: number) => run('at once', 'SELECT $1::int AS n', value);
  expect(
    await Promise.all([
      twice(1),
      twice(2),
      run('', 'SELECT 3 AS other'),
      twice(4),
      run('', 'SELECT $1::text AS text', 'five'),
    ]),
  ).toEqual([[{ n: 1 }], [{ n: 2 }], [{ other: 3 }], [{ n: 4 }], [{ text: 'five' }]]);
});

test('one that fails leaves those behind it, and itself the next time, as they are', async () => {
  const ratio = (by: number) => run('ratio', 'SELECT 6 / $1::int AS ratio', by);
  const outcomes = await Promise.allSettled([
    ratio(0),
    ratio(2),
    run('never right', 'SELECT nothing'),
    ratio(3),
  ]);
  expect(outcomes).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
    { status: 'fulfilled', value: [{ ratio: 3 }] },
    { status: 'rejected', reason: expect.objectContaining({ code: '42703' }) },
    { status: 'fulfilled', value: [{ ratio: 2 }] },
  ]);
  expect(await ratio(1)).toEqual([{ ratio: 6 }]);
});

test('a value that cannot be read fails its statement alone', async () => {
  const text = 'SELECT $1::bigint AS id';
  await expect(run('large', text, '9007199254740993')).rejects.toThrow(RangeError);
  expect(await run('large', text, 7)).toEqual([{ id: 7 }]);
});

test('a row of other columns than were described fails, rather than being read as what it is not', async () => {
  const told = new Promise((resolve, reject) => {
    const execution = new PreparedQuery({ name: '', text: 'SELECT 1 AS a' }, [], resolve, reject);
    client.connection.once('rowDescription', () => execution.handleRowDescription({ fields: [] }));
    client.query(execution);
  });
  await expect(told).rejects.toThrow('a row is not as it was described');
  expect(await run('', 'SELECT 2 AS a')).toEqual([{ a: 2 }]);
});

test('parameters arrive as they are', async () => {
  const [row] = await run(
    'parameters',
    `SELECT $1::text AS text, $2::bool AS yes, $3::timestamptz AS at, $4::text[] AS texts,
      $5::bigint[] AS ids, $6::text AS nothing, $7::float8 AS number`,
    'a "b" \\ {c}',
    true,
    new Date('2026-03-01T08:00:00.12Z'),
    ['', 'NULL', 'a,b', '"q" \\', null],
    [1, Number.MAX_SAFE_INTEGER],
    null,
    1.5e300,
  );
  expect(row).toEqual({
    text: 'a "b" \\ {c}',
    yes: true,
    at: '2026-03-01T08:00:00.12+00:00',
    texts: ['', 'NULL', 'a,b', '"q" \\', null],
    ids: [1, Number.MAX_SAFE_INTEGER],
    nothing: null,
    number: 1.5e300,
  });
});

describe('with statements ahead', () => {
  const behind = (ahead: readonly string[], name: string, text: string, ...values: unknown[]) =>
    new Promise<unknown[]>((resolve, reject) => {
      const statement = { name, text };
      client.query(
        new PreparedQuery(statement, values, resolve, reject, undefined, { before: ahead }),
      );
    });
  const status = 'SELECT pg_current_xact_id_if_assigned() IS NULL AS is_read, $1::int AS n';

  test('it is done behind them, in the transaction that they begin', async () => {
    const ahead = ['BEGIN', "SET LOCAL application_name = 'ahead'"];
    const name = "SELECT current_setting('application_name') AS name";
    expect(await behind(ahead, '', name)).toEqual([{ name: 'ahead' }]);
    await run('', 'ROLLBACK');
    expect(await run('', name)).not.toEqual([{ name: 'ahead' }]);
  });

  test('it is not done when one of them fails, and can be sent again', async () => {
    await run('', 'CREATE TEMP TABLE noted (n int)');
    const note = ['note', 'INSERT INTO noted VALUES ($1) RETURNING n'] as const;
    await expect(behind(['BEGIN', 'SAVEPOINT'], ...note, 1)).rejects.toMatchObject({
      code: '42601',
    });
    await run('', 'ROLLBACK');
    expect(await run('', 'SELECT n FROM noted')).toEqual([]);
    expect(await run(...note, 2)).toEqual([{ n: 2 }]);
    expect(await behind(['BEGIN'], ...note, 3)).toEqual([{ n: 3 }]);
    await run('', 'COMMIT');
    expect(await run('', 'SELECT n FROM noted')).toEqual([{ n: 2 }, { n: 3 }]);
  });

  test('its columns are described once, too', async () => {
    described = 0;
    expect(await behind(['BEGIN'], 'status', status, 1)).toEqual([{ is_read: true, n: 1 }]);
    expect(await behind(['SAVEPOINT one'], 'status', status, 2)).toEqual([{ is_read: true, n: 2 }]);
    await run('', 'COMMIT');
    expect(described).toBe(1);
  });
});

describe('with a COMMIT behind it', () => {
  const committing = (name: string, text: string, ...values: unknown[]) =>
    new Promise<unknown[]>((resolve, reject) => {
      const around = { before: ['BEGIN'], after: ['COMMIT'] };
      sendQuery(client, { name, text }, values, resolve, reject, undefined, around);
    });
  const keep = ['keep', 'INSERT INTO kept VALUES ($1) RETURNING n'] as const;

  test('it is committed once it is answered', async () => {
    await run('', 'CREATE TEMP TABLE kept (n int UNIQUE)');
    expect(await committing(...keep, 1)).toEqual([{ n: 1 }]);
    expect(client.getTransactionStatus()).toBe('I');
    expect(await committing(...keep, 2)).toEqual([{ n: 2 }]);
    expect(await run('', 'SELECT n FROM kept')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('its transaction is left open when it fails, and it can be sent again', async () => {
    await expect(committing(...keep, 2)).rejects.toMatchObject({ code: '23505' });
    await expect(run('', 'SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await run('', 'ROLLBACK');
    expect(await committing(...keep, 3)).toEqual([{ n: 3 }]);
  });
});

/** A full collection. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

test('whoever keeps a statement that is over keeps nothing that it was sent with or returned', async () => {
  const kept: PreparedQuery[] = [];
  const row = await new Promise<WeakRef<object>>((resolve, reject) => {
    const found = ([first]: unknown[]) => {
      if (typeof first === 'object' && first) resolve(new WeakRef(first));
    };
    const statement = { name: '', text: 'SELECT $1::text AS text' };
    const execution = new PreparedQuery(statement, ['sent'], found, reject, 60_000);
    kept.push(execution);
    client.query(execution);
  });
  // Until the end of the turn in which it was made a reference keeps what it refers to.
  await new Promise(setImmediate);
  collect();
  expect(row.deref()).toBeUndefined();
  expect(kept).toMatchObject([{ text: '', values: [] }]);
});
