import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keysOf } from '../../src/auth/keys.ts';
import { type Context, operating } from '../../src/context/context.ts';
import type { AnswerWithSubjects } from '../../src/context/idempotency.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { digestOf } from '../../src/resources/idempotency/answers.ts';
import { Idempotency } from '../../src/resources/idempotency/once.ts';
import { keepAnswers } from '../../src/resources/idempotency/prune.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

const [old, fresh] = [1, 2].map((n) => `secret ${n} of these tests, long enough`) as [
  string,
  string,
];
const answer: AnswerWithSubjects = {
  status: 201,
  headers: { etag: '"1"' },
  body: '{"id":1}',
  tellsOf: [],
};
const asked = { key: 'one', request: ['POST', '/contacts', '{}'] };

let file: TestDatabase;
let database: Database;
let ctx: Context;
const forgotten: unknown[] = [];

beforeAll(async () => {
  file = await createDatabase();
  database = await openDatabase({ url: file.url, poolSize: 4 });
  await file.query("INSERT INTO accounts (id, name) VALUES (1, 'One'), (2, 'Two')");
  const keys = keysOf([old]);
  ctx = {
    ...operating({ db: database, now: new Date(), requestId: 'r' }, 1),
    viewers: { forget: (...whom) => forgotten.push(whom) },
    signing: { keys, ttl: null },
  };
});
afterAll(async () => {
  await database.close();
  await file.close();
});
beforeEach(() => {
  forgotten.length = 0;
});
afterEach(() => file.query('DELETE FROM idempotency_keys; DELETE FROM contacts'));

const insert = (name: string) =>
  sql`INSERT INTO contacts (account_id, full_name) VALUES (1, ${name})`;
const names = async () => {
  const rows = await file.query<{ full_name: string }>(
    'SELECT full_name FROM contacts ORDER BY id',
  );
  return rows.map(({ full_name }) => full_name);
};
const { tellsOf: _, ...told } = answer;

/** A call that one statement does. */
const alone = {
  ...asked,
  created: {
    headers: () => ({ 'x-ignored-fields': 'mail' }),
    about: (version: string) => ({ etag: version }),
  },
};
const creating =
  (name: string) =>
  async ({ inlineIdempotency }: Context): Promise<AnswerWithSubjects> => {
    if (!inlineIdempotency) throw new Error('nothing is kept');
    await inlineIdempotency.write(
      'contact',
      sql`written AS (
        INSERT INTO contacts (account_id, full_name)
        SELECT 1, ${name} WHERE NOT EXISTS (SELECT FROM known) RETURNING id, full_name
      )`,
      sql`SELECT id, 7::text AS version, json_build_object('name', full_name)::text AS record FROM written`,
    );
    return { ...answer, body: name };
  };

/** A promise, and what fulfils it. */
function gate(): readonly [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  return [new Promise<void>((resolve) => (open = resolve)), () => open()];
}

describe('two requests with one key in one process', () => {
  test('the second waits for the first, and is told the same', async () => {
    const { answer: once } = new Idempotency(keysOf([old]));
    const [gone, go] = gate();
    const [begun, begin] = gate();
    const work = async ({ db }: Context) => {
      await db.query(insert('x'));
      begin();
      await gone;
      return answer;
    };
    const first = once(ctx, asked, work);
    await begun;
    const second = once(ctx, asked, work);
    await turn();
    go();
    expect(await first).toEqual({ ...answer, isReplay: false });
    expect(await second).toEqual({ ...told, isReplay: true });
    expect(await names()).toEqual(['x']);
  });

  test('the second is told that the first is still at work when that takes too long', async () => {
    const { answer: once } = new Idempotency(keysOf([old]), { patienceMs: 20 });
    const [ended, end] = gate();
    const [begun, begin] = gate();
    const first = once(ctx, asked, async () => {
      begin();
      await ended;
      return answer;
    });
    await begun;
    await expect(once(ctx, asked, async () => answer)).rejects.toMatchObject({ code: 'CONFLICT' });
    end();
    expect(await first).toMatchObject({ isReplay: false });
  });

  test('the second does it when the first could not', async () => {
    const { answer: once } = new Idempotency(keysOf([old]));
    const [begun, begin] = gate();
    const failing = Promise.allSettled([
      once(ctx, asked, async ({ db }) => {
        begin();
        await db.query(insert('lost'));
        throw new Error('overloaded');
      }),
    ]);
    await begun;
    const second = once(ctx, asked, async ({ db }) => {
      await db.query(insert('done'));
      return answer;
    });
    expect(await failing).toMatchObject([
      { status: 'rejected', reason: { message: 'overloaded' } },
    ]);
    expect(await second).toEqual({ ...answer, isReplay: false });
    expect(await names()).toEqual(['done']);
  });
});

describe('two requests with one key in two processes', () => {
  const processes = () => [new Idempotency(keysOf([old])), new Idempotency(keysOf([old]))];

  test('both do it, and what one of them did is undone', async () => {
    const begun: (() => void)[] = [];
    const both = processes().map(({ answer: once }, n) =>
      once(ctx, asked, async ({ db }) => {
        await db.query(insert(`by ${n}`));
        // Neither ends before the other one has written, too; who loses is called again.
        await new Promise<void>((resolve) => {
          begun.push(resolve);
          if (begun.length > 1) for (const go of begun) go();
        });
        return { ...answer, body: `by ${n}` };
      }),
    );
    const answers = await Promise.all(both);
    expect(answers.map(({ isReplay }) => isReplay).sort()).toEqual([false, true]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await names()).toEqual([answers[0]?.body]);
  });

  test('one that hangs before it commits keeps nobody from doing it', async () => {
    const [hanging, other] = processes() as [Idempotency, Idempotency];
    const [gone, go] = gate();
    const [begun, begin] = gate();
    const first = hanging.answer(ctx, asked, async ({ db }) => {
      await db.query(insert('late'));
      begin();
      await gone;
      return { ...answer, body: 'late' };
    });
    await begun;
    const second = await other.answer(ctx, asked, async ({ db }) => {
      await db.query(insert('early'));
      return { ...answer, body: 'early' };
    });
    expect(second).toMatchObject({ body: 'early', isReplay: false });
    go();
    expect(await first).toMatchObject({ body: 'early', isReplay: true });
    expect(await names()).toEqual(['early']);
  });

  test('what one statement did twice is undone, and answered as the first was', async () => {
    const [late, early] = processes() as [Idempotency, Idempotency];
    const [gone, go] = gate();
    const [begun, begin] = gate();
    const first = late.answer(ctx, alone, async (within) => {
      begin();
      await gone;
      return creating('late')(within);
    });
    await begun;
    const second = await early.answer(ctx, alone, creating('early'));
    expect(second).toMatchObject({ body: 'early', isReplay: false });
    go();
    const headers = { 'x-ignored-fields': 'mail', etag: '7' };
    const body = '{"name" : "early"}';
    expect(await first).toEqual({ status: 201, headers, body, isReplay: true });
    expect(await names()).toEqual(['early']);
    const [row] = await file.query<{ told: boolean }>(
      "SELECT tells_of = ARRAY['contact:' || (SELECT id FROM contacts)] AS told FROM idempotency_keys",
    );
    expect(row).toEqual({ told: true });
  });

  test.each([
    ['a transaction', asked],
    ['one statement', alone],
  ])('while one is just committing %s of the other waits, and then says so', async (_, call) => {
    const { answer: once } = new Idempotency(keysOf([old]), { patienceMs: 20 });
    const digest = digestOf(ctx.viewer, asked.key);
    const letGo = await file.hold(
      `INSERT INTO idempotency_keys (account_id, digest, kid, fingerprint, status, tells_of)
       VALUES (1, $1, '', '', 200, '{}')`,
      [digest],
    );
    const work = async (within: Context) => {
      if (call === alone) return creating('x')(within);
      await within.db.query(insert('x'));
      return answer;
    };
    await expect(once(ctx, call, work)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await names()).toEqual([]);
    await letGo();
    expect(await once(ctx, call, work)).toMatchObject({ isReplay: false });
    expect(await names()).toEqual(['x']);
  });
});

test('changed users are forgotten once the change is committed', async () => {
  const { answer: once } = new Idempotency(keysOf([old]));
  await once(ctx, asked, async ({ db, viewers }) => {
    await db.query(insert('x'));
    viewers.forget(1, 2);
    expect(forgotten).toEqual([]);
    return answer;
  });
  expect(forgotten).toEqual([[1, 2]]);
});

describe('while the secret changes', () => {
  test('what was sealed with the one before is told again', async () => {
    await new Idempotency(keysOf([old])).answer(ctx, asked, async () => answer);
    const { answer: once } = new Idempotency(keysOf([fresh, old]));
    expect(await once(ctx, asked, async () => answer)).toEqual({ ...told, isReplay: true });
  });

  test('a process that lacks the secret neither does it again nor says anything else', async () => {
    await new Idempotency(keysOf([fresh, old])).answer(ctx, asked, async () => answer);
    const { answer: once } = new Idempotency(keysOf([old]));
    await expect(once(ctx, asked, async () => answer)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe('a call that is done in parts', () => {
  const inParts =
    (until: number) =>
    async ({ db, progress }: Context): Promise<AnswerWithSubjects> => {
      const done = (await progress?.answers()) ?? new Map();
      const parts: (string | null)[] = [];
      for (let part = 1; part <= 3; part += 1) {
        const before = done.get(part);
        if (before === undefined) {
          if (part > until) throw new Error('killed');
          await (db.outsideTransaction ?? db).transaction(async (tx) => {
            await tx.query(insert(`part ${part}`));
            await progress?.keep(tx, part, `told ${part}`, []);
          });
        }
        parts.push(before ?? 'new');
      }
      return { ...answer, body: parts.join() };
    };

  test('goes on after the last part that was done', async () => {
    const { answer: once } = new Idempotency(keysOf([old]));
    await expect(once(ctx, asked, inParts(2))).rejects.toThrow('killed');
    expect(await names()).toEqual(['part 1', 'part 2']);
    const other = { ...asked, request: ['POST', '/contacts', '[]'] };
    await expect(once(ctx, other, inParts(3))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await once(ctx, asked, inParts(3))).toMatchObject({ body: 'told 1,told 2,new' });
    expect(await names()).toEqual(['part 1', 'part 2', 'part 3']);
    expect(await once(ctx, asked, inParts(3))).toMatchObject({ isReplay: true });
  });

  test('a part that somebody else has done meanwhile is undone', async () => {
    const { answer: once } = new Idempotency(keysOf([old]));
    await once(ctx, asked, async ({ db, progress }) => {
      const part = (name: string) =>
        (db.outsideTransaction ?? db).transaction(async (tx) => {
          await tx.query(insert(name));
          await progress?.keep(tx, 1, name, []);
        });
      await part('first');
      await expect(part('second')).rejects.toMatchObject({ kind: 'unique' });
      return answer;
    });
    expect(await names()).toEqual(['first']);
  });
});

test('answers are removed once they are not given any more, of all accounts', async () => {
  await file.query(
    `INSERT INTO idempotency_keys (account_id, digest, kid, fingerprint, status, answer, tells_of, created_at)
     SELECT 1 + n % 2, n, '', '', 200, '', '{}',
       now() - CASE WHEN n <= 2500 THEN interval '24 h' ELSE interval '23 h 59 min' END
     FROM generate_series(1, 2600) AS n`,
  );
  const chore = keepAnswers(database);
  expect(await chore.do(new Date())).toEqual({ removed: 2500 });
  expect(await chore.do(new Date())).toBeUndefined();
  const left = await file.query('SELECT account_id FROM idempotency_keys');
  expect(left).toHaveLength(100);
});

describe("the bytes of an account's answers are bounded", () => {
  const mebibyte = 1024 * 1024;
  const options = { maxBytes: 4 * mebibyte };
  const large = { ...answer, body: 'x'.repeat(0.7 * mebibyte) };
  const tooMany = { code: 'TOO_MANY_REQUESTS' };
  let key = 0;
  const store = ({ answer: once }: Idempotency, told = large) =>
    once(ctx, { ...asked, key: `key ${++key}` }, async () => told);

  test('over all processes, each of which asks for the sum once it has stored a mebibyte', async () => {
    const [one, two] = [1, 2].map(() => new Idempotency(keysOf([old]), options)) as [
      Idempotency,
      Idempotency,
    ];
    await store(one);
    await store(one);
    await store(one);
    // Of another process's three it does not know yet, and then it does.
    await store(two);
    await store(two);
    await expect(store(two)).rejects.toMatchObject(tooMany);
    const [row] = await file.query<{ rows: number }>(
      'SELECT count(*)::integer AS rows FROM idempotency_keys',
    );
    expect(row).toEqual({ rows: 5 });
  });

  test('until they are forgotten, after 24 hours', async () => {
    const { answer: once } = new Idempotency(keysOf([old]), { maxBytes: mebibyte });
    const call = async (name: string, told = large) =>
      once(ctx, { ...asked, key: name }, async () => told);
    await call('first');
    await expect(call('second')).rejects.toMatchObject(tooMany);
    await file.query("UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 s'");
    expect(await call('second')).toMatchObject({ status: 201 });
  });
});
