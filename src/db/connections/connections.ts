import cluster from 'node:cluster';
import type { Config } from '../../config/config.ts';
import { connectionsBeside } from '../../config/connections.ts';
import type { Queryable } from '../database.ts';
import { sql } from '../sql/sql.ts';

/** Connections of one machine's processes, and of all clients of the database. */
export interface Connections {
  /**
   * What the workers open at most, each with some for exports and one for health checks, and one
   * for a migration or a command. Behind a pooler it is that one: how many connections there are is
   * for the pooler to say.
   */
  readonly wanted: number;
  /** What the server lets our role have on this database, if nobody else is there. */
  readonly allowed: number;
}

/** Holds the pools of all workers against the limits of server, database and role. */
export async function countConnections(
  db: Queryable,
  { workers, database }: Pick<Config, 'workers' | 'database'>,
): Promise<Connections> {
  const [row] = await db.query<{ allowed: number }>(
    sql`SELECT least(
          current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1),
          nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1)
        ) AS allowed`,
  );
  const isPooled = database.kind === 'url' && database.url !== database.directUrl;
  const ours = isPooled ? 0 : workers * (database.poolSize + connectionsBeside);
  return { wanted: ours + 1, allowed: row?.allowed ?? 0 };
}

/** Where warnings for an operator go. */
interface Log {
  warn(details: object, message: string): void;
}

/**
 * Too few connections are a matter of load, for nothing fails until all pools are full. So the service
 * starts, and of several workers one says so.
 */
export async function warnOfConnections(config: Config, db: Queryable, log: Log): Promise<void> {
  if (cluster.isWorker && cluster.worker?.id !== 1) return;
  const { wanted, allowed } = await countConnections(db, config);
  if (wanted <= allowed) return;
  log.warn(
    { wanted, allowed },
    'WORKERS × DATABASE_POOL are more connections than PostgreSQL allows: requests will fail under load',
  );
}
