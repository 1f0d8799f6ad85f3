import pg from 'pg';

/** PostgreSQL's one-byte "char", which its catalogue uses for enumerations, and its text. */
const charOid = 18;
const textOid = 25;

const charColumns = new WeakMap<object, ReadonlySet<number>>();

/** Which columns of a result are "char", by its array of rows. */
export const charColumnsOf = (rows: object): ReadonlySet<number> | undefined =>
  charColumns.get(rows);

/** A connection in the form that Prisma's adapter takes, whose results it can read. */
export interface MigrationConnection {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/**
 * Opens a connection that is never replaced: once it is lost, everything sent over it fails. A pool
 * replaces its connections also after an error, and with them goes what they hold, such as a lock. The
 * adapter refuses "char", which is passed off as text.
 */
export async function openConnection(config: pg.PoolConfig): Promise<MigrationConnection> {
  const pool = new pg.Pool({ ...config, max: 1, connectionTimeoutMillis: 10_000, keepAlive: true });
  const client = await pool.connect();
  // Unhandled, the loss of the connection would end the process in the middle of a migration.
  client.on('error', () => undefined);
  Object.defineProperty(pool, 'query', {
    value: async (statement: pg.QueryArrayConfig | string) => {
      if (typeof statement === 'string') return client.query(statement);
      const result = await client.query(statement);
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
  return {
    pool,
    close: async () => {
      client.release(true);
      await pool.end();
    },
  };
}
