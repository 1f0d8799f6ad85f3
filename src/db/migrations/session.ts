import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { asOptions, tcpKeepAlive } from '../connections/settings.ts';
import { openConnection } from './connection.ts';
import { lockKeys } from './lock_keys.ts';

/** How often a process that waits for the lock asks for it, in milliseconds. */
const pollMs = 200;

/** One connection, in the form of a pool, over which a database is migrated. */
export interface MigrationSession {
  readonly url: string;
  readonly pool: pg.Pool;
}

/**
 * What must hold for a connection whose work takes as long as it takes, whatever the role's own
 * settings say.
 */
export const patient = {
  TimeZone: 'UTC',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  ...tcpKeepAlive,
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
    options: asOptions({
      ...patient,
      // An index is built by one process of the server, so that the others have cores left.
      max_parallel_maintenance_workers: '0',
      // Citus takes no reference to a table that every server has from one whose parts it has just made over
      // several connections. Where there is no Citus the setting means nothing.
      'citus.multi_shard_modify_mode': 'sequential',
    }),
  });
  try {
    return await work({ url, pool });
  } finally {
    await close();
  }
}

/**
 * Keeps every other process from migrating this database, as long as the connection lasts. The lock
 * is asked for again and again, because a statement that waits for it would hold a snapshot
 * meanwhile, and the holder of the lock may be building an index that waits for all snapshots to
 * go. It belongs to the connection that migrates: while the server is still working for a process
 * that was killed, nobody else begins.
 */
export async function takeLock(connection: Pick<pg.Pool, 'query'>): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKeys.migrations}) AS taken`,
    );
    if (rows[0]?.taken) return;
    await sleep(pollMs);
  }
}

/** Lets others migrate before the connection ends. */
export async function releaseLock(connection: Pick<pg.Pool, 'query'>): Promise<void> {
  await connection.query(`SELECT pg_advisory_unlock(${lockKeys.migrations})`);
}
