import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  MigrationList,
  SchemaFilter,
  SchemasContainer,
} from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import type { Queryable } from './database.ts';
import { withSchemaEngine } from './schema_engine.ts';
import { sql } from './sql.ts';

/** Any number, as long as every version of this service uses the same one. */
const lockKey = 7_228_452_101;

const prismaDirectory = fileURLToPath(new URL('../../prisma/', import.meta.url));
const directory = join(prismaDirectory, 'migrations');
const everything: SchemaFilter = { externalTables: [], externalEnums: [] };

export interface MigrationStatus {
  /** Whether every migration of this version is applied, and none failed or was edited since. */
  readonly current: boolean;
  /** Migrations of this version that the database lacks. */
  readonly pending: readonly string[];
  /** Migrations that were started and did not finish. */
  readonly failed: readonly string[];
  /** Migrations whose text differs from what was applied. */
  readonly edited: readonly string[];
  /** Migrations that a newer version applied. */
  readonly unknown: readonly string[];
}

/**
 * Applies the migrations that the database lacks, under a lock: of several processes that start
 * at once, one applies them and the others wait.
 * @returns the names applied, in order
 * @throws when a migration fails (its statements are undone), or one failed before
 */
export async function migrate(url: string): Promise<readonly string[]> {
  return underLock(url, async () => {
    const migrationsList = await migrations();
    return withSchemaEngine(url, undefined, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList,
        filters: everything,
      });
      return appliedMigrationNames;
    });
  });
}

/** Compares the migrations of this version with those that the database has seen. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const migrationsList = await migrations();
  const diagnosis = await withSchemaEngine(url, undefined, (engine) =>
    engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: everything,
    }),
  );
  const { history } = diagnosis;
  const pending =
    history && 'unappliedMigrationNames' in history ? history.unappliedMigrationNames : [];
  const unknown =
    history && 'unpersistedMigrationNames' in history ? history.unpersistedMigrationNames : [];
  const { failedMigrationNames: failed, editedMigrationNames: edited } = diagnosis;
  return {
    current: pending.length === 0 && failed.length === 0 && edited.length === 0,
    pending,
    failed,
    edited,
    unknown,
  };
}

/** Whether the database has every migration of this version: one small statement. */
export async function isMigrated(db: Queryable): Promise<boolean> {
  const applied = await db.query<{ migration_name: string }>(
    sql`SELECT migration_name FROM _prisma_migrations
        WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    { named: true },
  );
  const names = new Set(applied.map((row) => row.migration_name));
  return (await (ours ??= migrationNames())).every((name) => names.has(name));
}

let ours: Promise<readonly string[]> | undefined;

async function migrationNames(): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * What would have to be migrated for the migrations to yield schema.prisma. Needs a role that may
 * create databases: the migrations are played into one that is dropped again.
 * @param url a database on the server to use
 * @returns SQL; empty when they agree
 */
export async function diff(url: string): Promise<string> {
  const [migrationsList, schema] = await Promise.all([migrations(), readSchema()]);
  const { stdout } = await withSchemaEngine(url, datamodels(schema), (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrationsList },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: everything,
    }),
  );
  const script = stdout ?? '';
  return script.trim() === '-- This is an empty migration.' ? '' : script;
}

const datamodels = (schema: SchemasContainer): [string, string][] =>
  schema.files.map((file) => [file.path, file.content]);

async function readSchema(): Promise<SchemasContainer> {
  const path = join(prismaDirectory, 'schema.prisma');
  return { files: [{ path, content: await readFile(path, 'utf8') }] };
}

async function migrations(): Promise<MigrationList> {
  const names = await migrationNames();
  const lockfile = await readFile(join(directory, 'migration_lock.toml'), 'utf8');
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: lockfile },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(join(directory, name, 'migration.sql'), 'utf8'),
          },
        },
      })),
    ),
  };
}

/** The lock belongs to a connection of its own, so a killed process leaves none behind. */
async function underLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'crm migration lock',
    keepAlive: true,
  });
  // Unhandled, the loss of the connection would end the process in the middle of a migration.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("SELECT set_config('idle_session_timeout', '0', false)");
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    return await work();
  } finally {
    await client.end();
  }
}
