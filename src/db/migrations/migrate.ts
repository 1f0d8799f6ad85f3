import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  MigrationList,
  SchemaFilter,
  SchemasContainer,
} from '@prisma/schema-engine-wasm/schema_engine_bg';
import { packageDirectory } from '../../lib/directories.ts';
import type { Queryable } from '../database.ts';
import { sql } from '../sql/sql.ts';
import { inSession, type MigrationSession, takeLock } from './session.ts';

const prismaDirectory = fileURLToPath(new URL('prisma/', packageDirectory));
const ownDirectory = join(prismaDirectory, 'migrations');
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

export interface MigrateOptions {
  /** Where the migrations are, if not where this version has its own. */
  readonly directory?: string;
  /** The names of those to apply; all when not given. */
  readonly only?: readonly string[];
  /** Begins those again that failed before. */
  readonly retry?: boolean;
}

/**
 * Applies the migrations that the database lacks, under a lock: of several processes that start
 * at once, one applies them and the others wait. One that a crash interrupted is begun again.
 * @returns the names applied, in order
 * @throws when a migration fails (its statements are undone), or one failed before
 */
export async function migrate(
  url: string,
  { directory = ownDirectory, only, retry = false }: MigrateOptions = {},
): Promise<readonly string[]> {
  return inSession(url, async (session) => {
    // So it is at most starts, and the engine takes longer to load than to ask.
    if (directory === ownDirectory && (await isUpToDate(session))) return [];
    await takeLock(session.pool);
    await forgetInterrupted(session, retry);
    const migrationsList = await migrationsIn(directory, only);
    const { withSchemaEngine } = await import('./schema_engine.ts');
    return withSchemaEngine(session, undefined, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList,
        filters: everything,
      });
      return appliedMigrationNames;
    });
  });
}

/**
 * Lets migrations that were begun and not finished be begun again. Nothing of them is left: a migration
 * takes effect with the record of it, and an index that is half built is built anew.
 * @param retry also those that failed, of which the engine keeps the error
 * @throws when one failed and is not to be begun again
 */
async function forgetInterrupted(session: MigrationSession, retry: boolean): Promise<void> {
  if (!(await isBegun(session))) return;
  const { pool } = session;
  const { rows } = await pool.query<{ name: string; logs: string | null }>(
    `SELECT migration_name AS name, logs FROM _prisma_migrations
     WHERE finished_at IS NULL AND rolled_back_at IS NULL`,
  );
  const failed = rows.find(({ logs }) => logs !== null);
  if (failed && !retry) {
    throw new Error(
      `The migration ${failed.name} failed before. Once the cause is mended, crm migrate --retry begins it again. The cause was:\n${failed.logs}`,
    );
  }
  await pool.query(
    `UPDATE _prisma_migrations SET rolled_back_at = now()
     WHERE finished_at IS NULL AND rolled_back_at IS NULL`,
  );
}

/** Whether a migration was ever begun. */
async function isBegun({ pool }: MigrationSession): Promise<boolean> {
  const { rows } = await pool.query<{ name: string | null }>(
    "SELECT to_regclass('_prisma_migrations') AS name",
  );
  return rows[0]?.name !== null;
}

async function isUpToDate(session: MigrationSession): Promise<boolean> {
  if (!(await isBegun(session))) return false;
  const { rows } = await session.pool.query<Applied>(applied);
  return hasOurs(rows);
}

/** Compares the migrations of this version with those that the database has seen. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const migrationsList = await migrationsIn(ownDirectory);
  const { withSchemaEngine } = await import('./schema_engine.ts');
  const diagnosis = await inSession(url, (session) =>
    withSchemaEngine(session, undefined, (engine) =>
      engine.diagnoseMigrationHistory({
        migrationsList,
        optInToShadowDatabase: false,
        filters: everything,
      }),
    ),
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

/**
 * Makes sure that a database which others migrate is ready to be used.
 * @throws when it lacks a migration of this version, or one failed
 */
export async function assertMigrated(url: string): Promise<void> {
  if (await inSession(url, isUpToDate)) return;
  const { pending, failed } = await migrationStatus(url);
  const lacking = [...failed, ...pending];
  if (lacking.length > 0) {
    throw new Error(`The database must be migrated first (${lacking.join(', ')}): run crm migrate`);
  }
}

/** Whether the database has every migration of this version: one small statement. */
export async function isMigrated(db: Queryable): Promise<boolean> {
  return hasOurs(await db.query<Applied>(applied));
}

interface Applied {
  readonly migration_name: string;
}

const applied = sql`SELECT migration_name FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

async function hasOurs(rows: readonly Applied[]): Promise<boolean> {
  const names = new Set(rows.map((row) => row.migration_name));
  return (await (ours ??= namesIn(ownDirectory))).every((name) => names.has(name));
}

let ours: Promise<readonly string[]> | undefined;

async function namesIn(directory: string): Promise<readonly string[]> {
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
  const [migrationsList, schema] = await Promise.all([migrationsIn(ownDirectory), readSchema()]);
  const { withSchemaEngine } = await import('./schema_engine.ts');
  const { stdout } = await inSession(url, (session) =>
    withSchemaEngine(session, datamodels(schema), (engine) =>
      engine.diff({
        from: { tag: 'migrations', ...migrationsList },
        to: { tag: 'schemaDatamodel', ...schema },
        script: true,
        exitCode: null,
        filters: everything,
      }),
    ),
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

/** The migrations of this version, with the checksums that databases keep of them. */
export async function ownMigrations(): Promise<readonly { name: string; checksum: string }[]> {
  const { migrationDirectories } = await migrationsIn(ownDirectory);
  return migrationDirectories.map(({ path, migrationFile }) => ({
    name: path,
    checksum: createHash('sha256').update(String(migrationFile.content.value)).digest('hex'),
  }));
}

async function migrationsIn(directory: string, only?: readonly string[]): Promise<MigrationList> {
  const names = (await namesIn(directory)).filter((name) => only?.includes(name) ?? true);
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
