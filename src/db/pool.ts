import pg from 'pg';

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

/**
 * A pool in which nothing waits for ever: not a caller for a connection, not a statement for a
 * lock, not a transaction for its caller, not the process for a silent network.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const statementTimeout = options.statementTimeoutMs ?? 5000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3000,
    idleTimeoutMillis: 60_000,
    // A pool that was ended would still hold the process by its idle timers.
    allowExitOnIdle: true,
    statement_timeout: statementTimeout,
    lock_timeout: statementTimeout,
    idle_in_transaction_session_timeout: 2 * statementTimeout,
    // The server stops a statement first; this is for a server that answers no more.
    query_timeout: statementTimeout + 2000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'crm',
    // Statements here are short: compiling one would cost more than running it.
    options: '-c TimeZone=UTC -c jit=off',
  });
  // Stock `query` throws a connection away after every error, so a client that sends duplicates
  // could make us reconnect at each request.
  Object.defineProperty(pool, 'query', {
    value: (config: pg.QueryArrayConfig) => queryOnce(pool, config, options.onPrepared),
  });
  // A connection that comes back in mid-transaction (its COMMIT timed out, say) would carry that
  // transaction into the next caller's work.
  pool.on('release', (_error, client) => {
    const status = client.getTransactionStatus();
    if (status === 'T' || status === 'E') void client.end();
  });
  return pool;
}

async function queryOnce(
  pool: pg.Pool,
  config: pg.QueryArrayConfig,
  onPrepared: PoolOptions['onPrepared'],
): Promise<pg.QueryArrayResult> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  const isAlone = () => pool.totalCount - pool.idleCount === 1;
  const alone = isAlone();
  const began = performance.now();
  try {
    return await client.query(config);
  } catch (error) {
    if (!isRefusal(error)) broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    if (alone && config.name && isAlone()) onPrepared?.(config.name, performance.now() - began);
    client.removeListener('error', onError);
    client.release(broken);
  }
}

/** SQLSTATEs after which PostgreSQL closes the connection. */
const fatal = /^(08|25P0[34]|57P0)/;

/**
 * Whether PostgreSQL refused the statement and goes on serving the connection. Not by the severity,
 * which it tells in its own language.
 */
const isRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code !== undefined && !fatal.test(error.code);
