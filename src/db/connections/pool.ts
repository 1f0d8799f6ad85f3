import pg from 'pg';
import type { Access } from '../../config/database_url.ts';
import { networkMs, withDeadline } from '../scheduler/deadline.ts';
import { types } from '../sql/values.ts';
import { closeUnresponsive } from './dead_connections.ts';
import { routeTo } from './servers.ts';
import { asOptions, tcpKeepAlive } from './settings.ts';

export interface PoolOptions {
  /** May name several servers: see {@link routeTo}. */
  readonly url: string;
  /** Which of several servers to use; the one that takes writes when not given. */
  readonly access?: Access;
  /** Connections at most; 10 when not given. */
  readonly poolSize?: number;
  /** How long PostgreSQL lets one statement run; 5000 when not given. */
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a connection, a free one or a new one; 3000 when not given. */
  readonly connectTimeoutMs?: number;
}

/**
 * How long a statement waits for a lock, in milliseconds, so that a transaction which keeps one
 * stops only those that want it: a second, and a little more for PostgreSQL to detect a deadlock,
 * which a retry resolves.
 */
const lockTimeoutMs = 1100;

/** Settings of every connection on the server's side, beside its time limits. */
const session = {
  TimeZone: 'UTC',
  // Statements here are short: compiling one would cost more than running it.
  jit: 'off',
  // One connection uses one processor: who has a share of the connections has no more of these.
  max_parallel_workers_per_gather: 0,
  ...tcpKeepAlive,
  // The same where it does not acknowledge what it is sent.
  tcp_user_timeout: 30_000,
} as const;

/** What the server limits in each session, in milliseconds. */
export const limitsOf = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  lock_timeout: Math.min(lockTimeoutMs, statementTimeoutMs),
  idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
});

/**
 * A pool in which nothing waits for ever: not a caller for a connection, not a statement for a
 * lock, not a transaction for its caller, not the process for a silent network.
 */
export function openPool(options: PoolOptions & Required<Omit<PoolOptions, 'access'>>): pg.Pool {
  const { url, access = 'read-write', connectTimeoutMs, statementTimeoutMs } = options;
  const pool = new pg.Pool({
    ...routeTo(url, access, connectTimeoutMs),
    max: options.poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    // Idle timers of a pool that was ended would keep the process alive.
    allowExitOnIdle: true,
    ...limitsOf(statementTimeoutMs),
    // A statement is sent without waiting for those before it.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'crm',
    options: asOptions(session),
    types,
  });
  // The server stops a statement first; this is for a server that no longer answers, and for what
  // is queued behind such a statement on its connection.
  closeUnresponsive(pool, statementTimeoutMs + networkMs);
  // The pool listens to idle connections alone. One that breaks while it is in use fails its statements, and the
  // pool does not take it back, so nobody needs to hear its error; unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // A connection that comes back in mid-transaction (its COMMIT timed out, say) would carry that
  // transaction into the next caller's work.
  pool.on('release', (_error, client) => {
    const status = client.getTransactionStatus();
    if (status === 'T' || status === 'E') void client.end();
  });
  return pool;
}

/**
 * Takes a connection of a pool, a free one or a new one.
 * @param until when the caller's time is over, on the clock of `performance`
 * @throws {Fault} UNAVAILABLE when none came by then, and what the pool throws
 */
export function connectionOf(pool: pg.Pool, until: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => takeConnection(pool, until, resolve, reject));
}

/** The same with callbacks. They run in the middle of the pool's own code, so they must not throw. */
export function takeConnection(
  pool: pg.Pool,
  until: number,
  onConnection: (client: pg.PoolClient) => void,
  failed: (error: unknown) => void,
): void {
  const patienceMs = pool.options.connectionTimeoutMillis ?? 0;
  try {
    if (until - performance.now() < patienceMs) {
      withDeadline(until, pool.connect(), (client) => client.release()).then(onConnection, failed);
    } else {
      pool.connect((error, client) => (client ? onConnection(client) : failed(error)));
    }
  } catch (error) {
    // A new connection reads the files that its URL names, which may be gone.
    failed(error);
  }
}
