import pg from 'pg';
import type { Seats } from './seats.ts';
import type { Asker } from './statements.ts';
import { Turn } from './turn.ts';

export interface PoolOptions {
  readonly url: string;
  /** Connections at most; 10 when not given. */
  readonly poolSize?: number;
  /** How long PostgreSQL works on one statement before it stops it; 5000 when not given. */
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a connection, a free one or a new one; 3000 when not given. */
  readonly connectTimeoutMs?: number;
  /**
   * Told how long a statement that is kept prepared took, in milliseconds, when no other was at
   * work: among many it takes long whatever it is.
   */
  readonly onPrepared?: (name: string, ms: number) => void;
}

export interface SeatedPoolOptions extends PoolOptions {
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** As many as there are connections; who goes the first way has one already. */
  readonly seats: Seats;
  /** Whose statement it is that is being sent. */
  readonly asker: () => Asker;
}

/**
 * How long anything waits for a lock, so that who holds one stops nobody but those who want it. It is a
 * second, and as much longer as PostgreSQL needs to find out that two wait for each other, which
 * trying again cures.
 */
const lockTimeoutMs = 1100;

/** Two ways to the same connections. */
export interface Pools {
  /** A statement has its connection for itself. */
  readonly pool: pg.Pool;
  /** A statement shares its connection with its like of the same turn of the event loop. */
  readonly shared: pg.Pool;
  /** Whether an account's statements of a name may go the second way. */
  mayShare(account: number | undefined, name: string): boolean;
}

/**
 * A pool in which nothing waits for ever: not a caller for a connection, not a statement for a
 * lock, not a transaction for its caller, not the process for a silent network.
 */
export function openPool(options: SeatedPoolOptions): Pools {
  const statementTimeout = options.statementTimeoutMs ?? 5000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    // A pool that was ended would still hold the process by its idle timers.
    allowExitOnIdle: true,
    statement_timeout: statementTimeout,
    lock_timeout: Math.min(lockTimeoutMs, statementTimeout),
    idle_in_transaction_session_timeout: 2 * statementTimeout,
    // The server stops a statement first; this is for a server that answers no more, and for what
    // waits behind such a statement on its connection.
    query_timeout: statementTimeout + 2000,
    // A statement is sent while others before it are at work, if any are.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'crm',
    // Statements here are short: compiling one would cost more than running it.
    options: '-c TimeZone=UTC -c jit=off',
  });
  // A connection that comes back in mid-transaction (its COMMIT timed out, say) would carry that
  // transaction into the next caller's work.
  pool.on('release', (_error, client) => {
    const status = client.getTransactionStatus();
    if (status === 'T' || status === 'E') void client.end();
  });
  const turn = new Turn(pool, options.seats, options.onPrepared ?? (() => undefined));
  return {
    pool: querying(pool, (config) => turn.alone(config, options.asker())),
    shared: querying(pool, (config) => turn.shared(config, options.asker().account)),
    mayShare: (account, name) => turn.mayShare(account, name),
  };
}

/**
 * The pool with a `query` of ours. Stock `query` throws a connection away after every error, so a
 * client that sends duplicates could make us reconnect at each request.
 */
const querying = (
  pool: pg.Pool,
  query: (config: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>,
): pg.Pool =>
  new Proxy(pool, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key)) });
