import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openConnection } from './migration_connection.ts';

/** Any number, as long as every version of this service uses the same one. */
const lockKey = 7_228_452_101;

/** How often whoever waits for the lock asks for it, in milliseconds. */
const pollMs = 200;

/** One connection, in the form of a pool, over which a database is migrated. */
export interface MigrationSession {
  readonly url: string;
  readonly pool: pg.Pool;
}

/**
 * What must hold for a connection that migrates. There is no limit of time, whatever the role's own
 * settings say, because an index takes as long as it takes. A server whose client's machine is gone
 * notices within half a minute, and lets go of the lock.
 */
const settings = {
  TimeZone: 'UTC',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // An index is built by one process of the server, so that the others have cores left.
  max_parallel_maintenance_workers: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
};

/**
 * Runs `work` over one connection of its own. When that is lost the work fails: over a new one it would
 * go on without the lock, which another process may have by then.
 */
export async function inSession<T>(
  url: string,
  work: (session: MigrationSession) => Promise<T>,
): Promise<T> {
  const { pool, close } = await openConnection({
    connectionString: url,
    application_name: 'crm migrations',
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  try {
    return await work({ url, pool });
  } finally {
    await close();
  }
}

/**
 * Waits until no other process migrates this database, until the session ends. The lock is asked for
 * again and again, because a statement that waits for it would hold a snapshot meanwhile, and whoever
 * has the lock may be building an index that waits for all snapshots to go. It belongs to the connection
 * that migrates: while the server is still at work for a process that was killed, nobody else begins.
 */
export async function takeLock({ pool }: MigrationSession): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKey}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await sleep(pollMs);
  }
}
