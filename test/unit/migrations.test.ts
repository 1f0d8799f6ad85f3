import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { diff, isMigrated, migrate, migrationStatus } from '../../src/db/migrate.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { given } from '../kit/environment.ts';

const migrations = new URL('../../prisma/migrations/', import.meta.url);

let migrated: TestDatabase;
let empty: string;

beforeAll(async () => {
  migrated = await createDatabase();
  const url = new URL(given('CRM_TEST_DATABASE'));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const name = `test_empty_${process.pid}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  empty = url.href;
});

afterAll(() => migrated.close());

test('migrations and schema.prisma agree', async () => {
  expect(await diff(migrated.url)).toBe('');
});

test('of two processes that start at once on an empty database one applies, both come up', async () => {
  const names = (await readdir(migrations, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  expect(await migrationStatus(empty)).toMatchObject({ current: false, pending: names });
  const applied = await Promise.all([migrate(empty), migrate(empty), migrate(empty)]);
  expect(applied.flat()).toEqual(names);
  expect(await migrationStatus(empty)).toEqual({
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
