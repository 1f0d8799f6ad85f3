import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { charColumnsOf, openConnection } from './connection.ts';
import { runScript } from './script.ts';
import type { MigrationSession } from './session.ts';

/** What makes a migration that was done count as done. Under the lock there is one unfinished at most. */
const finish = `UPDATE "_prisma_migrations" SET "finished_at" = now()
  WHERE "finished_at" IS NULL AND "rolled_back_at" IS NULL`;

/**
 * How Prisma's schema engine reaches the database: through the stock adapter, patched where it fails
 * the engine.
 * @returns the factory, and `close`, which drops every database that it made
 */
export function migrationAdapter({ url, pool }: MigrationSession): {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
} {
  const shadows = new Set<() => Promise<void>>();
  return {
    factory: {
      provider: 'postgres',
      adapterName: '@prisma/adapter-pg',
      connect: () => adapt(pool, finish, async () => undefined),
      connectToShadowDb: async () => {
        const name = `crm_shadow_${randomUUID()}`;
        await pool.query(`CREATE DATABASE "${name}" TEMPLATE template0`);
        const shadow = await openConnection({ connectionString: withDatabase(url, name) });
        const dispose = async () => {
          if (!shadows.delete(dispose)) return;
          await shadow.close();
          await pool.query(`DROP DATABASE "${name}"`);
        };
        shadows.add(dispose);
        return adapt(shadow.pool, '', dispose);
      },
    },
    close: async () => {
      for (const dispose of shadows) await dispose();
    },
  };
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/**
 * The stock adapter splits a script at every semicolon, those inside a function's body too, and
 * commits each piece alone. This one runs a migration as `runScript` does.
 * @param record see `runScript`
 */
async function adapt(
  pool: pg.Pool,
  record: string,
  dispose: () => Promise<void>,
): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPg(pool).connect();
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: async (query) => {
      const result = await adapter.queryRaw(query);
      const chars = charColumnsOf(result.rows);
      const columnTypes = result.columnTypes.map((type, at) =>
        chars?.has(at) ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    },
    executeRaw: (query) => adapter.executeRaw(query),
    startTransaction: (isolation) => adapter.startTransaction(isolation),
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
    dispose,
    executeScript: async (script) => {
      try {
        await runScript(pool, script, record);
      } catch (error) {
        throw asAdapterError(error);
      }
    },
  };
}

function asAdapterError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return new DriverAdapterError({
    kind: 'postgres',
    code: error.code ?? 'N/A',
    severity: error.severity ?? 'ERROR',
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
    originalMessage: error.message,
    ...(error.code === undefined ? {} : { originalCode: error.code }),
  });
}
