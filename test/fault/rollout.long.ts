/** Processes of the version before serve on while their database is migrated, and afterwards. */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../kit/database.ts';
import { nextMigrations } from '../kit/migrations.ts';
import { type Service, startService } from '../kit/service.ts';
import { tables } from '../kit/tables.ts';
import { world } from '../kit/world.ts';
import { viaRest } from '../parity/call.ts';
import { cases } from '../parity/cases.ts';

/**
 * The last migration of the version before, which runs beside this one while this one is rolled out. It
 * is named anew when a version is released.
 */
const released = '20261123000000_storable_json';

/**
 * Columns that this version drops, which the version before has under `@ignore`, or requires, which it
 * always writes.
 */
const contracted: readonly string[] = [];

const directory = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** One call of each operation. */
const calls = [...new Map(cases.toReversed().map((each) => [each.operation, each])).values()];

/** The statuses of all calls, sent at once, each in a world of its own. */
async function statuses(service: Service): Promise<string[]> {
  const prepared = await Promise.all(
    calls.map(async (each) => {
      const w = await world(service);
      return { ...each, w, sent: await each.call(w) };
    }),
  );
  return Promise.all(
    prepared.map(async ({ operation, name, as = 'admin', w, sent }) => {
      const { status } = await viaRest(w, w[as].token, operation, sent);
      return `${operation}, ${name}: ${status}`;
    }),
  );
}

/** A step of every kind that prisma/README.md has for adding something. */
const expansions = [
  ...tables.map(
    (table) =>
      `ALTER TABLE "${table}" ADD COLUMN "next_text" TEXT, ADD COLUMN "next_flag" BOOLEAN NOT NULL DEFAULT false;`,
  ),
  `CREATE TABLE "next_things" (
     "id" BIGSERIAL NOT NULL, "account_id" BIGINT NOT NULL, "contact_id" BIGINT,
     CONSTRAINT "next_things_pkey" PRIMARY KEY ("account_id", "id"),
     CONSTRAINT "next_things_contact_fkey" FOREIGN KEY ("account_id", "contact_id")
       REFERENCES "contacts" ("account_id", "id") ON DELETE CASCADE);`,
  'CREATE INDEX CONCURRENTLY "contacts_next_idx" ON "contacts" ("account_id", "next_text");',
  'CREATE UNIQUE INDEX CONCURRENTLY "deals_next_key" ON "deals" ("account_id", "id", "next_flag");',
  'ALTER TABLE "deals" ADD CONSTRAINT "deals_next_check" CHECK ("next_text" <> \'\') NOT VALID;',
  'ALTER TABLE "deals" VALIDATE CONSTRAINT "deals_next_check";',
];

test('every operation answers as before while tables, columns, indexes and checks are added, and after', async () => {
  const service = await startService();
  const next = await nextMigrations();
  try {
    const before = await statuses(service);
    for (const script of expansions) await next.write(script);
    let over = false;
    const migrated = migrate(service.database.url, { directory: next.directory }).finally(
      () => (over = true),
    );
    do expect(await statuses(service)).toEqual(before);
    while (!over);
    expect(await migrated).toHaveLength(expansions.length);
    expect(await statuses(service)).toEqual(before);
    expect(await service.client.send({ method: 'GET', path: '/readyz' })).toAnswer(200);
  } finally {
    await service.close();
    await next.remove();
  }
}, 60_000);

interface Column extends Record<string, unknown> {
  readonly name: string;
  readonly type: string;
  /** Whether an INSERT that does not know the column is refused. */
  readonly wanted: boolean;
}

async function columnsOf(database: TestDatabase): Promise<ReadonlyMap<string, Column>> {
  const columns = await database.query<Column>(
    `SELECT attrelid::regclass || '.' || attname AS name, format_type(atttypid, atttypmod) AS type,
       attnotnull AND NOT atthasdef AS wanted
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND attnum > 0 AND NOT attisdropped`,
  );
  return new Map(columns.map((column) => [column.name, column]));
}

test('what the version before stores and reads is where it left it', async () => {
  const [before, now] = [await createEmptyDatabase(), await createDatabase()];
  const then = await mkdtemp(join(tmpdir(), 'crm released '));
  try {
    await cp(directory, then, {
      recursive: true,
      filter: (path) =>
        !/^\d+_/.test(path.slice(directory.length)) ||
        path.slice(directory.length) <= `${released}/~`,
    });
    await migrate(before.url, { directory: then });
    const [theirs, ours] = [await columnsOf(before), await columnsOf(now)];
    const kept = [...theirs.values()].filter(({ name }) => !contracted.includes(name));
    for (const { name, type, wanted } of kept) {
      // A column may come to accept nulls, of which the version before then writes none.
      expect({ name, type: ours.get(name)?.type }).toEqual({ name, type });
      if (!wanted) expect([name, ours.get(name)?.wanted]).toEqual([name, false]);
    }
    const tablesThen = new Set([...theirs.keys()].map((name) => name.split('.')[0]));
    const unknown = [...ours.values()].filter(
      ({ name, wanted }) => wanted && !theirs.has(name) && tablesThen.has(name.split('.')[0]),
    );
    expect(unknown).toEqual([]);
  } finally {
    await rm(then, { recursive: true });
    await before.close();
    await now.close();
  }
});

test('an index of a table that was there before is built concurrently', async () => {
  const names = (await readdir(directory)).filter((name) => /^\d/.test(name) && name > released);
  for (const name of names) {
    const script = await readFile(join(directory, name, 'migration.sql'), 'utf8');
    const made = [...script.matchAll(/CREATE TABLE "(\w+)"/g)].map(([, table]) => table);
    const blocking = [
      ...script.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).*? ON "(\w+)"/gs),
    ]
      .map(([, table]) => table)
      .filter((table) => !made.includes(table));
    expect({ name, blocking }).toEqual({ name, blocking: [] });
  }
});
