/** A migration meets others at work, is interrupted, or fails. */
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { runScript } from '../../src/db/migrations/script.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type NextMigrations, nextMigrations } from '../kit/migrations.ts';
import { until } from '../kit/wait.ts';

const compiled = new URL('../../dist/modules/db/migrations/migrate.js', import.meta.url).href;

let database: TestDatabase;
let next: NextMigrations;
beforeEach(async () => {
  [database, next] = await Promise.all([createDatabase(), nextMigrations()]);
  await database.query("INSERT INTO accounts (id, name) VALUES (1, 'Acme')");
});
afterEach(async () => {
  await database.close();
  await next.remove();
});

const migrateNext = (retry = false) => migrate(database.url, { directory: next.directory, retry });

/** Waits until `wanted` connections migrate. */
const migrating = (wanted: number, waiting: 'Lock' | 'any' = 'any') =>
  until(
    async () => {
      const rows = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
           AND application_name = 'crm migrations' AND ($1 = 'any' OR wait_event_type = $1)`,
        [waiting],
      );
      return rows.length;
    },
    (found) => found === wanted,
    5000,
  );

/** Ends what migrates, as a crash would. */
const crash = () =>
  database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'crm migrations'`,
  );

const create = () => database.query('INSERT INTO contacts (account_id) VALUES (1)');

const writing = () => database.hold('INSERT INTO contacts (account_id) VALUES (1)');

const index =
  'CREATE INDEX CONCURRENTLY "contacts_next_idx" ON "contacts" ("account_id", "app_id");';

const indexes = () =>
  database.query(
    `SELECT relname AS name, indisvalid AS valid FROM pg_index
     JOIN pg_class ON pg_class.oid = indexrelid WHERE relname LIKE '%_next_%'`,
  );

const built = [{ name: 'contacts_next_idx', valid: true }];

test('while an index is built others write, and those who wait to migrate do not hold it up', async () => {
  const name = await next.write(index);
  const letGo = await writing();
  const building = migrateNext();
  expect(await migrating(1, 'Lock')).toBe(1);
  const waiting = migrateNext();
  expect(await migrating(2)).toBe(2);
  await create();
  await letGo('COMMIT');
  expect(await building).toEqual([name]);
  expect(await waiting).toEqual([]);
  expect(await indexes()).toEqual(built);
});

test('an index that a crash left half-built is built again by the next process', async () => {
  const name = await next.write(index);
  const letGo = await writing();
  const crashed = expect(migrateNext()).rejects.toThrow();
  expect(await migrating(1, 'Lock')).toBe(1);
  await crash();
  await crashed;
  await letGo();
  expect(await indexes()).toEqual([{ name: 'contacts_next_idx', valid: false }]);
  expect(await migrateNext()).toEqual([name]);
  expect(await indexes()).toEqual(built);
});

test('what PostgreSQL still does for a process that was killed is waited for, and not done again', async () => {
  const name = await next.write(index);
  const letGo = await writing();
  const script = `const { migrate } = await import(${JSON.stringify(compiled)});
    await migrate(process.argv[1], { directory: process.argv[2] });`;
  const args = ['--input-type=module', '-e', script, database.url, next.directory];
  const child = spawn(process.execPath, args);
  expect(await migrating(1, 'Lock')).toBe(1);
  child.kill('SIGKILL');
  const migrated = migrateNext();
  expect(await migrating(2)).toBe(2);
  await letGo('COMMIT');
  expect(await migrated).toEqual([name]);
  expect(await indexes()).toEqual(built);
});

test('an index that was built before, by hand or by a process that then crashed, stays', async () => {
  await database.query(index);
  const [before] = await database.query("SELECT 'contacts_next_idx'::regclass::oid AS oid");
  const name = await next.write(index);
  expect(await migrateNext()).toEqual([name]);
  expect(await database.query("SELECT 'contacts_next_idx'::regclass::oid AS oid")).toEqual([
    before,
  ]);
});

test('a migration that a crash interrupted is begun again', async () => {
  await database.query('CREATE TABLE dawdle AS SELECT 30 AS seconds');
  const name = await next.write(
    'CREATE TABLE next_table (id int); SELECT pg_sleep(seconds) FROM dawdle;',
  );
  const crashed = expect(migrateNext()).rejects.toThrow();
  expect(
    await until(
      async () => {
        const asleep = await database.query(
          "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
        );
        return asleep.length;
      },
      (found) => found === 1,
      5000,
    ),
  ).toBe(1);
  await crash();
  await crashed;
  await database.query('DELETE FROM dawdle');
  expect(await migrateNext()).toEqual([name]);
  expect(await database.query('SELECT FROM next_table')).toEqual([]);
});

test('a migration and the record of it are one transaction', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  const run = runScript(pool, 'CREATE TABLE next_table (id int)', 'SELECT 1 / 0');
  await expect(run).rejects.toThrow('division by zero');
  await pool.end();
  await expect(database.query('SELECT FROM next_table')).rejects.toThrow('does not exist');
});

test('a migration that waits for a table lets others at it', async () => {
  const name = await next.write('ALTER TABLE "contacts" ADD COLUMN "next" TEXT;');
  const letGo = await database.hold('SELECT FROM contacts');
  const migrated = migrateNext();
  expect(await migrating(1, 'Lock')).toBe(1);
  await create();
  await letGo();
  expect(await migrated).toEqual([name]);
});

test('one that failed leaves nothing behind, and begins again when it is told to', async () => {
  await create();
  await create();
  const name = await next.write(
    'CREATE UNIQUE INDEX CONCURRENTLY "contacts_next_key" ON "contacts" ("account_id");',
  );
  await expect(migrateNext()).rejects.toThrow('Unique constraint failed');
  expect(await indexes()).toEqual([]);
  await expect(migrateNext()).rejects.toThrow(
    new RegExp(
      `^The migration ${name} failed before.*crm migrate --retry.*Unique constraint failed`,
      's',
    ),
  );
  await database.query('DELETE FROM contacts');
  expect(await migrateNext(true)).toEqual([name]);
  expect(await indexes()).toEqual([{ name: 'contacts_next_key', valid: true }]);
});

test('an index that needs an extension is left out where the server lacks it', async () => {
  const name = await next.write(`-- Parts of texts.\n-- needs: pg_trgm, not_there\n${index}`);
  expect(await migrateNext()).toEqual([name]);
  expect(await indexes()).toEqual([]);
});
