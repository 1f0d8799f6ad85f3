/** How statements share the connections of a pool. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { connect } from '../../src/db/connections/connect.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { StatementStatistic } from '../../src/db/scheduler/statement_statistic.ts';
import { type Statement, sql } from '../../src/db/sql/sql.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/wait.ts';

let file: TestDatabase;
let roomy: Database;
/** However little there is to do, and however busy the machine is: as many share a connection as may. */
const willing = { worthWaitingMs: Infinity, unnoticedMs: Infinity, spreadOver: 1 };
beforeAll(async () => {
  file = await createDatabase();
  roomy = await openDatabase({ url: file.url, statementTimeoutMs: 500, ...willing });
  await roomy.query(sql`CREATE TABLE notes (id bigint PRIMARY KEY)`);
});
afterAll(async () => {
  await roomy.close();
  await file.close();
});

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}
const sharing = { shares: true };
const together = <Row>(statements: readonly Statement[], on = roomy) =>
  Promise.allSettled(statements.map((statement) => on.query<Row>(statement, sharing)));
const unavailable = {
  status: 'rejected',
  reason: expect.objectContaining({ code: 'UNAVAILABLE' }),
};
type Answered = PromiseSettledResult<readonly { readonly n: number; readonly pid: number }[]>;
const rowOf = (answer: Answered | undefined) =>
  answer?.status === 'fulfilled' ? answer.value[0] : undefined;
const connectionsOf = (answers: readonly Answered[]) =>
  new Set(answers.map((answer) => rowOf(answer)?.pid)).size;
/** Lets each be known as short, so that it shares a connection: on a busy machine that may take more runs. */
async function acquaint(statements: readonly Statement[], on = roomy): Promise<void> {
  for (const statement of statements) {
    await repeat(2, () => together([statement], on));
    for (let runs = 0; runs < 100; runs++) {
      const pair = await together<{ n: number; pid: number }>([statement, statement], on);
      if (connectionsOf(pair) === 1) break;
    }
  }
}
const number = (n: number) => sql`SELECT ${n}::int AS n, pg_backend_pid() AS pid`;
const slow = (n: number, seconds: number) =>
  sql`SELECT 6 / ${n}::int AS n, pg_backend_pid() AS pid FROM pg_sleep(${seconds})`;

test('statements of one kind in one turn share connections, eight on each, and keep their own rows', async () => {
  await acquaint([number(0)]);
  const asked = Array.from({ length: 12 }, (_, n) => n);
  const answers = await together<{ n: number; pid: number }>(asked.map(number));
  expect(answers.map((answer) => rowOf(answer)?.n)).toEqual(asked);
  expect(connectionsOf(answers.slice(0, 8))).toBe(1);
  expect(connectionsOf(answers.slice(8))).toBe(1);
  expect(connectionsOf(answers)).toBe(2);
});

test('statements are spread evenly over some of the connections', async () => {
  const over = { poolSize: 4, spreadOver: 3 };
  const untimed = { worthWaitingMs: Infinity, unnoticedMs: 0 };
  const spread = await openDatabase({ url: file.url, ...over, ...untimed });
  const statement = number(1);
  const ask = async (number: number) => {
    // On a busy machine one of those before may have been slow, and would go alone for a while.
    await repeat(5, () => together([statement], spread));
    const answers = await together<{ n: number; pid: number }>(
      Array.from({ length: number }, () => statement),
      spread,
    );
    const pids = answers.map((answer) => rowOf(answer)?.pid);
    return [...new Set(pids)].map((pid) => pids.filter((other) => other === pid).length);
  };
  expect(await ask(3)).toEqual([1, 1, 1]);
  expect(await ask(12)).toEqual([4, 4, 4]);
  await spread.close();
});

test.each([
  ['1', 2],
  ['2', 1],
])(
  'with WORKERS=%s a process spreads statements over %d of three connections',
  async (workers, over) => {
    const config = readConfig({
      DATABASE_URL: file.url,
      DATABASE_POOL: '3',
      WORKERS: workers,
      JWT_SECRET: 'a secret that is long enough for this test',
    });
    const { database, close } = await connect(config, async () => undefined);
    // Long enough to be noticed, and short enough to share.
    const statement = slow(1, 0.005);
    await repeat(20, () => together([statement], database));
    const answers = await together<{ n: number; pid: number }>([statement, statement], database);
    expect(connectionsOf(answers)).toBe(over);
    await close();
  },
);

test('statements that take no more together than nobody notices share while others are idle', async () => {
  const statement = number(1);
  const ask = async (unnoticedMs: number) => {
    const four = { poolSize: 4, worthWaitingMs: Infinity, unnoticedMs };
    const database = await openDatabase({ url: file.url, ...four });
    await repeat(5, () => together([statement], database));
    const answers = await together<{ n: number; pid: number }>(
      Array.from({ length: 3 }, () => statement),
      database,
    );
    await database.close();
    return connectionsOf(answers);
  };
  expect(await ask(Infinity)).toBe(1);
  expect(await ask(0)).toBe(3);
});

test('statements of one turn do not wait for another kind', async () => {
  const another = (n: number) => sql`SELECT pg_backend_pid() AS pid, ${n}::int AS n`;
  await acquaint([number(0), another(0)]);
  expect(connectionsOf(await together([number(1), another(1)]))).toBe(2);
});

test('statements that take long do not wait for each other', async () => {
  const brisk = await openDatabase({ url: file.url });
  const long = (n: number) =>
    sql`SELECT ${n}::int AS n, pg_backend_pid() AS pid FROM pg_sleep(0.03)`;
  expect(connectionsOf(await together([1, 2, 3].map(long), brisk))).toBe(3);
  expect(connectionsOf(await together([1, 2, 3].map(long), brisk))).toBe(3);
  await brisk.close();
});

test.each([
  ['a statement that changes something', {}],
  ['a statement without a name', { prepare: 'never', shares: true }],
] as const)('%s has a connection for itself', async (_, options) => {
  const ask = () =>
    Promise.allSettled(
      [1, 2, 3].map((n) => roomy.query<{ n: number; pid: number }>(number(n), options)),
    );
  await repeat(5, ask);
  expect(connectionsOf(await ask())).toBe(3);
});

test('each of several on a connection fails alone', async () => {
  await acquaint([slow(1, 0)]);
  const answers = await together<{ n: number; pid: number }>([
    slow(1, 0),
    slow(0, 0),
    slow(2, 2),
    slow(3, 0),
  ]);
  expect(answers).toEqual([
    { status: 'fulfilled', value: [{ n: 6, pid: expect.any(Number) }] },
    { status: 'rejected', reason: expect.objectContaining({ message: 'division by zero' }) },
    unavailable,
    { status: 'fulfilled', value: [{ n: 2, pid: expect.any(Number) }] },
  ]);
  expect(rowOf(answers[3])?.pid).toBe(rowOf(answers[0])?.pid);
});

test('statements that wait too long behind others are UNAVAILABLE, and the next call works', async () => {
  const narrow = { url: file.url, poolSize: 1, statementTimeoutMs: 500, ...willing };
  const database = await openDatabase(narrow);
  await acquaint([slow(1, 0)], database);
  const asked = Array.from({ length: 8 }, () => slow(1, 0.4));
  const answers = await together(asked, database);
  expect(answers[0]?.status).toBe('fulfilled');
  expect(answers[7]).toEqual(unavailable);
  expect((await together([slow(1, 0)], database))[0]?.status).toBe('fulfilled');
  await database.close();
});

test('statements that are prepared by one that was stopped are UNAVAILABLE, and fine the next time', async () => {
  const single = await openDatabase({
    url: file.url,
    poolSize: 1,
    statementTimeoutMs: 500,
    ...willing,
  });
  const notes = sql`SELECT count(*) AS n FROM notes`;
  await acquaint([notes], single);
  // A connection that has prepared nothing yet.
  await single.query(sql`SELECT pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);
  const letGo = await file.hold('LOCK TABLE notes');
  const answers = await together([notes, notes], single);
  await letGo();
  expect(answers).toEqual([unavailable, unavailable]);
  const counted = { status: 'fulfilled', value: [{ n: 0 }] };
  expect(await together([notes, notes], single)).toEqual([counted, counted]);
  await single.close();
});

test('a statement that the server no longer has is UNAVAILABLE once', async () => {
  const single = await openDatabase({ url: file.url, poolSize: 1 });
  await together([number(1)], single);
  await single.query(sql`DEALLOCATE ALL`);
  expect(await together([number(1)], single)).toEqual([unavailable]);
  expect(rowOf((await together<{ n: number; pid: number }>([number(1)], single))[0])?.n).toBe(1);
  await single.close();
});

test('a statement that returns other columns than it did fails once', async () => {
  const single = await openDatabase({ url: file.url, poolSize: 1 });
  await single.query(sql`CREATE TABLE widened AS SELECT 1 AS n`);
  const all = sql`SELECT * FROM widened`;
  await together([all], single);
  await single.query(sql`ALTER TABLE widened ADD COLUMN pid int`);
  expect((await together([all], single))[0]?.status).toBe('rejected');
  expect(await together([all], single)).toEqual([
    { status: 'fulfilled', value: [{ n: 1, pid: null }] },
  ]);
  await single.close();
});

test('a backend killed beneath several is UNAVAILABLE to each, and the next call works', async () => {
  const patient = await openDatabase({ url: file.url, poolSize: 1, ...willing });
  await acquaint([slow(1, 0)], patient);
  const [self] = await together<{ n: number; pid: number }>([slow(1, 0)], patient);
  const answers = together(
    [1, 2, 3].map((n) => slow(n, 4)),
    patient,
  );
  await until(
    () =>
      file.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid = $1 AND wait_event = 'PgSleep'`,
        [rowOf(self)?.pid],
      ),
    (killed) => killed.length > 0,
    3000,
  );
  expect(await answers).toEqual([unavailable, unavailable, unavailable]);
  expect(rowOf((await together<{ n: number; pid: number }>([slow(2, 0)], patient))[0])?.n).toBe(3);
  await patient.close();
});

test('a connection is as good as new after a statement that failed', async () => {
  const single = await openDatabase({ url: file.url, poolSize: 1 });
  const answers = await Promise.allSettled([
    single.query(sql`SELECT 1 / ${0}::int AS n`),
    single.transaction((tx) => tx.query(sql`INSERT INTO notes VALUES (1)`)),
    single.query(sql`SELECT ${7}::int AS n`),
  ]);
  expect(answers).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ message: 'division by zero' }) },
    { status: 'fulfilled', value: [] },
    { status: 'fulfilled', value: [{ n: 7 }] },
  ]);
  expect(await file.query('SELECT id FROM notes')).toEqual([{ id: 1 }]);
  await single.close();
});

test('no more than two of an account share a connection with those of others', async () => {
  const [one, other] = [
    roomy.of({ account: 1, until: Infinity }),
    roomy.of({ account: 2, until: Infinity }),
  ];
  await acquaint([number(0)], one);
  await acquaint([number(0)], other);
  const ask = (on: Database) => on.query<{ n: number; pid: number }>(number(1), sharing);
  const answers = await Promise.allSettled([one, other, one, one, other, other].map(ask));
  expect(connectionsOf(answers.slice(0, 3))).toBe(1);
  expect(connectionsOf(answers.slice(3))).toBe(1);
  expect(connectionsOf(answers)).toBe(2);
  const [many, stranger] = [
    await Promise.allSettled([one, one, one, one].map(ask)),
    await Promise.allSettled([one, one, one, other].map(ask)),
  ];
  expect([connectionsOf(many), connectionsOf(stranger)]).toEqual([1, 2]);
});

test('of an account whose statement took long none of its kind shares for a while', async () => {
  const [one, other] = [
    roomy.of({ account: 1, until: Infinity }),
    roomy.of({ account: 2, until: Infinity }),
  ];
  await acquaint([slow(1, 0)], one);
  await acquaint([slow(1, 0)], other);
  const pair = (on: Database) => together<{ n: number; pid: number }>([slow(1, 0), slow(2, 0)], on);
  await one.query(slow(1, 0.15), sharing);
  expect([connectionsOf(await pair(one)), connectionsOf(await pair(other))]).toEqual([2, 1]);
});

test('each further slow run takes more short ones to make up for', () => {
  const statistic = new StatementStatistic();
  const shortRunsUntilShared = () => {
    for (let runs = 0; ; runs++) {
      if (statistic.isShortFor(1)) return runs;
      statistic.recordRun(1, 100);
    }
  };
  expect(shortRunsUntilShared()).toBe(1);
  const afterSlow = Array.from({ length: 6 }, () => {
    statistic.recordRun(1, 101);
    return shortRunsUntilShared();
  });
  expect(afterSlow).toEqual([2, 8, 32, 128, 512, 1000]);
  expect(statistic.isShortFor(2)).toBe(false);
});
