import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/**
 * How Prisma's schema engine reaches the database: through the stock adapter, patched where it fails
 * the engine.
 * @returns the factory, and `close`, which ends every connection that it opened
 */
export function migrationAdapter(url: string): {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
} {
  const open = new Set<() => Promise<void>>();
  const connect = async (config: pg.PoolConfig, after: () => Promise<void>) => {
    const pool = openPool(config);
    const dispose = async () => {
      if (!open.delete(dispose)) return;
      await pool.end();
      await after();
    };
    open.add(dispose);
    return patched(await new PrismaPg(pool).connect(), pool, dispose);
  };
  const database = () => connect({ connectionString: url }, async () => undefined);
  return {
    factory: {
      provider: 'postgres',
      adapterName: '@prisma/adapter-pg',
      connect: database,
      connectToShadowDb: async () => {
        const main = await database();
        const name = `crm_shadow_${randomUUID()}`;
        await main.executeScript(`CREATE DATABASE "${name}" TEMPLATE template0`);
        return connect({ connectionString: withDatabase(url, name) }, async () => {
          await main.executeScript(`DROP DATABASE "${name}"`);
          await main.dispose();
        });
      },
    },
    close: async () => {
      for (const dispose of [...open].reverse()) await dispose();
    },
  };
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** PostgreSQL's one-byte "char", which its catalogue uses for enumerations, and its text. */
const charOid = 18;
const textOid = 25;

/** Which columns of a result are "char", by its array of rows. */
const charColumns = new WeakMap<object, ReadonlySet<number>>();

/**
 * A pool whose results the stock adapter can read: it refuses "char", which is passed off as text.
 * There is no statement timeout, because building an index takes as long as it takes.
 */
function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    max: 2,
    allowExitOnIdle: true,
    connectionTimeoutMillis: 10_000,
    application_name: 'crm migrations',
    options: '-c TimeZone=UTC',
  });
  const query = pool.query.bind(pool);
  Object.defineProperty(pool, 'query', {
    value: async (statement: pg.QueryArrayConfig | string) => {
      if (typeof statement === 'string') return query(statement);
      const result = await query(statement);
      const columns = result.fields.flatMap((field, at) =>
        field.dataTypeID === charOid ? [at] : [],
      );
      charColumns.set(result.rows, new Set(columns));
      for (const field of result.fields) {
        if (field.dataTypeID === charOid) field.dataTypeID = textOid;
      }
      return result;
    },
  });
  return pool;
}

/**
 * The stock adapter splits a script at every semicolon, those inside a function's body too, and
 * commits each piece alone. This one sends a migration as one simple query, which PostgreSQL runs
 * whole or not at all.
 */
function patched(
  adapter: SqlDriverAdapter,
  pool: pg.Pool,
  dispose: () => Promise<void>,
): SqlDriverAdapter {
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: async (query) => {
      const result = await adapter.queryRaw(query);
      const chars = charColumns.get(result.rows);
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
        await pool.query(script);
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
