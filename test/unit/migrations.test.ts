import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { distributedTables, referenceTables } from '../../src/db/migrations/distribute.ts';
import { diff, isMigrated, migrate, migrationStatus } from '../../src/db/migrations/migrate.ts';
import { takeLock } from '../../src/db/migrations/session.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../kit/database.ts';

const migrations = new URL('../../prisma/migrations/', import.meta.url);

let migrated: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  [migrated, empty] = [await createDatabase(), await createEmptyDatabase()];
});

afterAll(async () => {
  await migrated.close();
  await empty.close();
});

test('migrations and schema.prisma agree', async () => {
  expect(await diff(migrated.url)).toBe('');
});

test('where accounts are spread over servers, so is every table that a later migration makes', async () => {
  const names = (await readdir(migrations)).sort().filter((name) => name !== 'migration_lock.toml');
  const scripts = await Promise.all(
    names.map((name) => readFile(new URL(`${name}/migration.sql`, migrations), 'utf8')),
  );
  const [first = '', ...later] = scripts;
  const isFrom = (table: string) => first.includes(`CREATE TABLE "${table}"`);
  const placed = (kind: string) =>
    later.flatMap((script) =>
      [...script.matchAll(new RegExp(`create_${kind}_table\\('(\\w+)'`, 'g'))].map(
        ([, table]) => table,
      ),
    );
  expect(placed('reference').sort()).toEqual(
    referenceTables.filter((table) => !isFrom(table)).sort(),
  );
  expect(placed('distributed').sort()).toEqual(
    distributedTables.filter((table) => !isFrom(table)).sort(),
  );
});

test('of two processes that start at once on an empty database one applies, both come up', async () => {
  const names = (await readdir(migrations, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  expect(await migrationStatus(empty.url)).toMatchObject({ current: false, pending: names });
  const applied = await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)]);
  expect(applied.flat()).toEqual(names);
  expect(await migrationStatus(empty.url)).toEqual({
    current: true,
    pending: [],
    failed: [],
    edited: [],
    unknown: [],
  });
});

test('the history is the one that Prisma Migrate keeps', async () => {
  const rows = await migrated.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL',
  );
  for (const { migration_name, checksum } of rows) {
    const script = await readFile(new URL(`${migration_name}/migration.sql`, migrations));
    expect(checksum).toBe(createHash('sha256').update(script).digest('hex'));
  }
  expect(rows.length).toBeGreaterThan(0);
});

test('a process that has nothing to apply does not wait for one that migrates', async () => {
  const other = new pg.Client({ connectionString: migrated.url });
  await other.connect();
  try {
    await takeLock(other);
    expect(await migrate(migrated.url)).toEqual([]);
  } finally {
    await other.end();
  }
});

test('a database that lacks a migration is not ready', async () => {
  const database = await openDatabase({ url: migrated.url });
  try {
    expect(await isMigrated(database)).toBe(true);
    await migrated.query('UPDATE _prisma_migrations SET finished_at = NULL');
    expect(await isMigrated(database)).toBe(false);
    expect(await migrationStatus(migrated.url)).toMatchObject({ current: false });
  } finally {
    await database.close();
  }
});
