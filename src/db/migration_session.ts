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
 * What must hold for a connection whose work takes as long as it takes, whatever the role's own settings
 * say. A server whose client's machine is gone notices within half a minute, and lets go of its locks.
 */
export const patient = {
  TimeZone: 'UTC',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
};

/** Settings as a connection is given them. */
export const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

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
    // An index is built by one process of the server, so that the others have cores left.
    options: asOptions({ ...patient, max_parallel_maintenance_workers: '0' }),
  });
  try {
    return await work({ url, pool });
  } finally {
    await close();
  }
}

/**
 * Keeps every other process from migrating this database, as long as the connection lasts. The lock is
 * asked for again and again, because a statement that waits for it would hold a snapshot meanwhile, and
 * whoever has the lock may be building an index that waits for all snapshots to go. It belongs to the
 * connection that migrates: while the server is still at work for a process that was killed, nobody else
 * begins.
 */
export async function takeLock(connection: Pick<pg.Pool, 'query'>): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKey}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await sleep(pollMs);
  }
}

/** Lets others migrate before the connection ends. */
export async function releaseLock(connection: Pick<pg.Pool, 'query'>): Promise<void> {
  await connection.query(`SELECT pg_advisory_unlock(${lockKey})`);
}
