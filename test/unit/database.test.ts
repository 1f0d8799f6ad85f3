import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { adhoc, type Database } from '../../src/db/database.ts';
import { classify, DatabaseError } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import { FrequentNames } from '../../src/db/scheduler/statement_names.ts';
import { raw, sql } from '../../src/db/sql/sql.ts';
import { Fault } from '../../src/errors/errors.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

let file: TestDatabase;
let database: Database;
const said: string[] = [];

beforeAll(async () => {
  file = await createDatabase();
  database = await openDatabase({
    url: file.url,
    poolSize: 2,
    statementTimeoutMs: 500,
    connectTimeoutMs: 500,
    onStatement: (text) => said.push(text),
  });
  await database.query(
    sql`CREATE TABLE notes (id bigint PRIMARY KEY, text varchar(9) CHECK (text <> 'bad'))`,
  );
});

afterEach(async () => {
  await database.query(sql`DELETE FROM notes`);
  said.length = 0;
});

afterAll(async () => {
  await database.close();
  await file.close();
});

const insert = (id: number, text = '') => sql`INSERT INTO notes VALUES (${id}, ${text})`;
async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}
const count = () => file.query<{ n: number }>('SELECT count(*) AS n FROM notes');
const sessions = () =>
  file.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'crm' AND datname = current_database()`,
  );

describe('query', () => {
  test('returns rows as objects, bigint as numbers, json and timestamps as text', async () => {
    const [row] = await database.query(
      sql`SELECT 9007199254740991::bigint AS id, ARRAY[1, 2]::bigint[] AS ids, count(*) AS n,
            '{"b":1,"a":2.50}'::json AS json, '2026-03-01 10:00:00.12+02'::timestamptz AS at,
            1.50::numeric AS numeric, ARRAY['a', 'b,"c'] AS texts, NULL::bigint AS none
          FROM notes`,
    );
    expect(row).toEqual({
      id: Number.MAX_SAFE_INTEGER,
      ids: [1, 2],
      n: 0,
      json: '{"b":1,"a":2.50}',
      at: '2026-03-01T08:00:00.12+00:00',
      numeric: '1.50',
      texts: ['a', 'b,"c'],
      none: null,
    });
  });

  test('rounds no bigint', async () => {
    await expect(database.query(sql`SELECT 9007199254740993::bigint AS id`)).rejects.toThrow(
      RangeError,
    );
  });

  test('takes numbers, texts, booleans, null, dates and arrays', async () => {
    const at = new Date('2026-03-01T10:00:00.123Z');
    const [row] = await database.query(
      sql`SELECT ${Number.MAX_SAFE_INTEGER}::bigint AS number, ${'é"\\'}::text AS text, ${true}::boolean AS flag,
            ${null}::text AS none, ${at}::timestamptz AS at, ${['a', 'b']}::text[] AS list`,
    );
    expect(row).toEqual({
      number: Number.MAX_SAFE_INTEGER,
      text: 'é"\\',
      flag: true,
      none: null,
      at: '2026-03-01T10:00:00.123+00:00',
      list: ['a', 'b'],
    });
  });

  test('keeps a statement prepared unless it is ad hoc', async () => {
    const single = await openDatabase({ url: file.url, poolSize: 1 });
    const prepared = () =>
      single.query(
        sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%kept%'`,
        adhoc,
      );
    await single.query(sql`SELECT 1 AS not_kept`, adhoc);
    expect(await prepared()).toEqual([]);
    await single.query(sql`SELECT 1 AS kept`);
    await single.query(sql`SELECT 1 AS kept`);
    expect(await prepared()).toHaveLength(1);
    await single.close();
  });

  test('keeps what clients shape prepared once it comes again and again, and only so much of it', async () => {
    const single = await openDatabase({ url: file.url, poolSize: 1 });
    const ask = (name: string, times: number) =>
      repeat(times, () => single.query(sql`SELECT 1 AS ${raw(name)}`, { prepare: 'ifFrequent' }));
    const prepared = async () => {
      const [row] = await single.query<{ count: number }>(
        sql`SELECT count(*) AS count FROM pg_prepared_statements WHERE statement LIKE 'SELECT 1 AS often%'`,
      );
      return row?.count;
    };
    await ask('often', 8);
    expect(await prepared()).toBe(0);
    await ask('often', 1);
    expect(await prepared()).toBe(1);
    for (let other = 0; other < 110; other++) await ask(`often_${other}`, 9);
    expect(await prepared()).toBe(100);
    await single.close();
  });

  test('a frequent text that runs for long is planned for its own values', async () => {
    const single = await openDatabase({ url: file.url, poolSize: 1 });
    await repeat(12, () =>
      single.query(sql`SELECT count(pg_sleep(${0.03})) AS slow`, { prepare: 'ifFrequent' }),
    );
    const runs = await single.query(
      sql`SELECT (generic_plans + custom_plans)::int AS prepared FROM pg_prepared_statements
        WHERE statement LIKE 'SELECT count(pg_sleep%'`,
    );
    expect(runs).toEqual([{ prepared: 3 }]);
    await single.close();
  });

  test('a text that ran for long three times lately must come eight times as often to be kept again', () => {
    const names = new FrequentNames(100);
    const timesUntilNamed = () => {
      for (let times = 1; ; times++) {
        const { name } = names.of('SELECT 1');
        if (name) return { times, name };
      }
    };
    const { times, name } = timesUntilNamed();
    expect(times).toBe(9);
    const took = (...ms: readonly number[]) => {
      for (const one of ms) names.recordRun(name, one);
    };
    took(19, 19, 19, 21, 21);
    expect(names.of('SELECT 1').name).toBe(name);
    took(21);
    expect(timesUntilNamed()).toEqual({ times: 65, name });
    names.recordRun('another', 21);
    took(21, 21);
    for (let times = 0; times < 128; times++) expect(names.of('SELECT 1').name).toBe(name);
    took(21, 21);
    expect(names.of('SELECT 1').name).toBe(name);
  });

  test('a broken constraint is told by kind and name, and costs no connection', async () => {
    await database.query(insert(1));
    const before = await sessions();
    await expect(database.query(insert(1))).rejects.toMatchObject({
      name: 'DatabaseError',
      kind: 'unique',
      constraint: 'notes_pkey',
    });
    await expect(database.query(insert(2, 'bad'))).rejects.toMatchObject({
      kind: 'check',
      constraint: 'notes_text_check',
    });
    await database.query(sql`SELECT 1`);
    expect(await sessions()).toEqual(before);
  });

  test.each([
    ['a NUL', sql`SELECT ${'a\0b'}::text`],
    ['a number out of range', sql`SELECT ${'9223372036854775808'}::bigint`],
    ['a NUL in jsonb', sql`SELECT ${'"\\u0000"'}::jsonb`],
    ['JSON nested too deep', sql`SELECT ${`${'['.repeat(100_000)}${']'.repeat(100_000)}`}::json`],
  ])('%s is VALIDATION_FAILED', async (_, statement) => {
    await expect(database.query(statement)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('a statement that takes too long is stopped: UNAVAILABLE', async () => {
    await expect(database.query(sql`SELECT FROM pg_sleep(5)`)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('no free connection in time: UNAVAILABLE', async () => {
    const short = await openDatabase({ url: file.url, poolSize: 1, connectTimeoutMs: 500 });
    await short.query(sql`SELECT 1`);
    const busy = short.query(sql`SELECT FROM pg_sleep(0.8)`);
    await expect(short.query(sql`SELECT 1`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await busy;
    expect(await short.query(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
    await short.close();
  });

  test('a call whose time is over waits neither for a connection nor for a free one', async () => {
    const connected: Socket[] = [];
    const silent = createServer((socket) => connected.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = new URL(file.url);
    url.port = String(Object(silent.address()).port);
    const patient = await openDatabase({ url: url.href, poolSize: 1, connectTimeoutMs: 60_000 });
    const late = patient.of({ account: undefined, until: performance.now() + 100 });
    const unavailable = { status: 'rejected', reason: { code: 'UNAVAILABLE' } };
    expect(
      await Promise.allSettled([
        late.query(sql`SELECT 1`),
        late.query(sql`SELECT 2`),
        late.transaction((tx) => tx.query(sql`SELECT 3`)),
      ]),
    ).toMatchObject([unavailable, unavailable, unavailable]);
    for (const socket of connected) socket.destroy();
    await patient.close();
    silent.close();
  });

  test('PostgreSQL gives up connections whose other end is gone', async () => {
    // As the kernel has them for this connection.
    const names = ['idle', 'interval', 'count'].map((name) => `tcp_keepalives_${name}`);
    const [row] = await database.query<{ found: string[] }>(
      sql`SELECT array(SELECT current_setting(n) FROM unnest(${[...names, 'tcp_user_timeout']}::text[]) n) AS found`,
    );
    expect(row?.found).toEqual(['10', '5', '4', '30000']);
  });

  test('a statement is run by one process of PostgreSQL, even where it makes more of them cheap', async () => {
    const plan = await database.transaction(async (tx) => {
      for (const cost of [
        'parallel_setup_cost',
        'parallel_tuple_cost',
        'min_parallel_table_scan_size',
      ]) {
        await tx.query(raw(`SET LOCAL ${cost} = 0`));
      }
      return tx.query<{ 'QUERY PLAN': string }>(
        raw('EXPLAIN (COSTS OFF) SELECT count(*) FROM pg_attribute WHERE attnum > 0'),
      );
    });
    const [first, ...rest] = plan.map((line) => line['QUERY PLAN']);
    expect(first).toBe('Aggregate');
    expect(rest.join('\n')).not.toMatch(/Gather|Parallel/);
  });

  test('an error of ours passes through unchanged', async () => {
    const error = await database.query(sql`SELECT FROM nowhere`).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(Fault);
    expect(error).not.toBeInstanceOf(DatabaseError);
  });
});

describe('transaction', () => {
  test('commits, and says every statement', async () => {
    const answer = await database.transaction(async (tx) => {
      await tx.query(insert(1));
      return 'done';
    });
    expect(answer).toBe('done');
    expect(said).toEqual(['BEGIN', 'INSERT INTO notes VALUES ($1, $2)', 'COMMIT']);
    expect(await count()).toEqual([{ n: 1 }]);
  });

  test('rolls all back when the work throws', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query(insert(1));
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    expect(said.at(-1)).toBe('ROLLBACK');
    expect(await count()).toEqual([{ n: 0 }]);
  });

  test('fails when a statement failed, even if the work swallowed it', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query(insert(1));
      await tx.query(insert(1)).catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ kind: 'unique' });
    expect(await count()).toEqual([{ n: 0 }]);
  });

  test('leaks no connection, whatever ends it', async () => {
    // One more than there are.
    for (let round = 0; round < 3; round += 1) {
      await database.transaction((tx) => tx.query(insert(round)));
      await database.transaction((tx) => tx.query(raw('SELECT 1 / 0'))).catch(() => undefined);
      await database
        .transaction((tx) => tx.query(sql`SELECT FROM pg_sleep(5)`))
        .catch(() => undefined);
    }
    expect(
      await Promise.all([database.query(sql`SELECT 1`), database.query(sql`SELECT 1`)]),
    ).toHaveLength(2);
    expect((await sessions()).length).toBeLessThanOrEqual(2);
  });

  test('a backend killed in its middle is UNAVAILABLE, and the next call works', async () => {
    const work = database.transaction(async (tx) => {
      const [self] = await tx.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
      await tx.query(insert(1));
      await file.query('SELECT pg_terminate_backend($1)', [self?.pid]);
      await tx.query(insert(2));
    });
    await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await count()).toEqual([{ n: 0 }]);
    expect(await database.query(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  test('in place of a database: what fails is undone alone, and the rest goes on', async () => {
    const both = async (tx: Database) => {
      await tx.transaction(async (inner) => {
        await inner.query(insert(3));
        await inner.query(insert(1));
      });
    };
    await database.transaction(async ({ asDatabase }) => {
      await asDatabase.query(insert(1));
      await expect(asDatabase.query(insert(1))).rejects.toMatchObject({ kind: 'unique' });
      await expect(both(asDatabase)).rejects.toMatchObject({ kind: 'unique' });
      await asDatabase.transaction((inner) => inner.query(insert(2)));
    });
    const kept = await database.query(sql`SELECT id FROM notes ORDER BY id`);
    expect(kept).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('what fails is undone alone also where little time is left', async () => {
    const patient = await openDatabase({ url: file.url, statementTimeoutMs: 60_000 });
    const soon = patient.of({ account: undefined, until: performance.now() + 30_000 });
    const shared = soon.sharedTransaction();
    for (const begin of [soon, shared]) {
      await begin.transaction(async ({ asDatabase }) => {
        await asDatabase.query(insert(begin === soon ? 1 : 2));
        await expect(asDatabase.query(insert(1))).rejects.toMatchObject({ kind: 'unique' });
      });
    }
    await expect(shared.query(insert(1))).rejects.toMatchObject({ kind: 'unique' });
    await shared.commit(insert(3));
    await patient.close();
    const kept = await database.query(sql`SELECT id FROM notes ORDER BY id`);
    expect(kept).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('the victim of a deadlock gets a conflict', async () => {
    await database.query(insert(1));
    await database.query(insert(2));
    const patient = await openDatabase({ url: file.url, poolSize: 2 });
    const change = (first: number, second: number) =>
      patient.transaction(async (tx) => {
        await tx.query(sql`UPDATE notes SET text = 'x' WHERE id = ${first}`);
        await new Promise((done) => setTimeout(done, 100));
        await tx.query(sql`UPDATE notes SET text = 'x' WHERE id = ${second}`);
      });
    // What is in place of a database cannot go on beside a rival, whose lock would stay.
    const changeEach = (first: number, second: number) =>
      patient.transaction(async ({ asDatabase: tx }) => {
        await tx.query(sql`UPDATE notes SET text = 'x' WHERE id = ${first}`);
        await new Promise((done) => setTimeout(done, 100));
        const lost = tx.query(sql`UPDATE notes SET text = 'x' WHERE id = ${second}`);
        if ((await Promise.allSettled([lost]))[0]?.status === 'fulfilled') return;
        await expect(tx.query(insert(3))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      });
    for (const work of [change, changeEach]) {
      const outcomes = await Promise.allSettled([work(1, 2), work(2, 1)]);
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failed).toHaveLength(1);
      expect(failed[0]?.reason).toMatchObject({ kind: 'conflict' });
    }
    await patient.close();
  });
});

describe('Prisma', () => {
  test('uses the same database; its errors are read by the same table', async () => {
    const account = await database.prisma().account.create({ data: { name: 'Acme' } });
    const user = { account_id: account.id, email: 'ana@acme.test' };
    await database.prisma().user.create({ data: user });
    const error = await database
      .prisma()
      .user.create({ data: user })
      .catch((caught: unknown) => caught);
    expect(classify(error)).toMatchObject({ kind: 'unique', constraint: 'users_email_key' });
    expect(said.some((text) => text.includes('"users"'))).toBe(true);
  });
});

test('a database that is not there is UNAVAILABLE at the first statement', async () => {
  const nowhere = await openDatabase({ url: 'postgresql://crm@127.0.0.1:1/crm' });
  await expect(nowhere.query(sql`SELECT 1`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(nowhere.transaction((tx) => tx.query(sql`SELECT 1`))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await nowhere.close();
});
