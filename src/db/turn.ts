/** How statements get onto connections of the pool: one alone, or several of one turn together. */
import pg from 'pg';

/** A statement and who waits for its rows. */
interface Asked {
  readonly config: pg.QueryArrayConfig;
  resolve(result: pg.QueryArrayResult): void;
  reject(error: unknown): void;
}

/** Told what a statement took, in milliseconds. */
type OnPrepared = (name: string, ms: number) => void;

/** So many share a connection at most: the last of them waits for all before it. */
const together = 8;

/**
 * Statements go out at the end of the turn of the event loop that asked for them: sending one wakes
 * PostgreSQL, which may take the core at once, so all that arrived in this turn is looked at before.
 */
export class Turn {
  readonly #pool: pg.Pool;
  readonly #onPrepared: OnPrepared | undefined;
  readonly #open = new Map<string, Asked[]>();

  /**
   * @param onPrepared told of a statement that is kept prepared when no other was at work: among
   *   many it takes long whatever it is
   */
  constructor(pool: pg.Pool, onPrepared: OnPrepared | undefined) {
    this.#pool = pool;
    this.#onPrepared = onPrepared;
  }

  /** Runs a statement on a connection that nobody else uses meanwhile. */
  alone(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
    return new Promise((resolve, reject) => {
      setImmediate(() => this.#send([{ config, resolve, reject }]));
    });
  }

  /**
   * Runs a statement on a connection that others of its name and turn share: under load PostgreSQL
   * and this process then wake each other once for several, and waking is most of what a short
   * statement costs. With little to do a turn has one. None waits for another kind, which might
   * take longer.
   *
   * It must be short, and not change anything: each commit would wait for the disk before the next
   * one began.
   */
  shared(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
    return new Promise((resolve, reject) => {
      this.#add(config.name ?? '', { config, resolve, reject });
    });
  }

  #add(name: string, asked: Asked): void {
    const others = this.#open.get(name);
    if (others && others.length < together) {
      others.push(asked);
      return;
    }
    const alike = [asked];
    this.#open.set(name, alike);
    setImmediate(() => {
      if (this.#open.get(name) === alike) this.#open.delete(name);
      this.#send(alike);
    });
  }

  #send(asked: readonly Asked[]): void {
    void send(this.#pool, asked, this.#onPrepared);
  }
}

/** Sends statements on one connection, without waiting for answers in between. */
async function send(
  pool: pg.Pool,
  asked: readonly Asked[],
  onPrepared: OnPrepared | undefined,
): Promise<void> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { reject } of asked) reject(error);
    return;
  }
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  const isAlone = () => asked.length === 1 && pool.totalCount - pool.idleCount === 1;
  const alone = isAlone();
  const began = performance.now();
  let left = asked.length;
  // Whoever waited for the last one finds its connection free.
  const ended = ({ name }: pg.QueryArrayConfig) => {
    left -= 1;
    if (left > 0) return;
    if (alone && name && isAlone()) onPrepared?.(name, performance.now() - began);
    client.removeListener('error', onError);
    client.release(broken);
  };
  const { stream } = client.connection;
  stream.cork();
  for (const { config, resolve, reject } of asked) {
    client.query(config).then(
      (result) => {
        ended(config);
        resolve(result);
      },
      (error: unknown) => {
        if (!isRefusal(error)) broken = error instanceof Error ? error : new Error(String(error));
        ended(config);
        reject(error);
      },
    );
  }
  stream.uncork();
}

/** SQLSTATEs after which PostgreSQL closes the connection. */
const fatal = /^(08|25P0[34]|57P0)/;

/**
 * Whether PostgreSQL refused the statement and goes on serving the connection. Not by the severity,
 * which it tells in its own language.
 */
const isRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code !== undefined && !fatal.test(error.code);
