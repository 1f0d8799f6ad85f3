/**
 * Reading much of what an account has as it is at one moment. That takes as long as its reader does, so it
 * has connections of its own, few, and none of those that requests wait for.
 */
import type pg from 'pg';
import { Fault, TooMany } from '../errors.ts';
import { ample, limitStatement } from './deadline.ts';
import { classify } from './errors.ts';
import { Execution } from './execution.ts';
import { connectionOf, openPool, type PoolOptions } from './pool.ts';
import { plain } from './send.ts';
import type { Statement } from './sql.ts';
import { connectionIn, TextStream } from './stream.ts';

/** How many snapshots a process has open at most: of one account, and of all. */
export const mostSnapshots = { ofAccount: 2, ofAll: 4 } as const;

/** How long a statement may take that is not a stream, in milliseconds. */
const longestStatementMs = 60_000;

/**
 * How long a snapshot may be read, in milliseconds: until then PostgreSQL cannot vacuum what has
 * become dead since.
 */
export const longestSnapshotMs = 3_600_000;

/** Seconds after which it is worth another attempt. */
const laterSeconds = 30;

/** The database as it was at one moment, while it is open. */
export interface Snapshot {
  query<Row>(statement: Statement): Promise<Row[]>;
  /** The texts of a statement's one column, row by row; one statement at a time. */
  stream(statement: Statement): AsyncGenerator<readonly string[]>;
  /** Ends it, even in the middle of a statement. */
  close(): void;
}

/** Opens snapshots, up to a number for each account and for all together, over a pool of its own. */
export class Snapshots {
  readonly #pool: pg.Pool;
  readonly #byAccount = new Map<number | undefined, number>();
  readonly #onStatement: (text: string) => void;
  #open = 0;

  constructor(
    options: PoolOptions & Required<Pick<PoolOptions, 'connectTimeoutMs'>>,
    onStatement: (text: string) => void,
    onError: (error: Error) => void,
  ) {
    this.#onStatement = onStatement;
    this.#pool = openPool({
      ...options,
      poolSize: mostSnapshots.ofAll,
      statementTimeoutMs: longestSnapshotMs,
    });
    // Nobody waits for them: one that is open costs the database more than opening it.
    this.#pool.options.idleTimeoutMillis = 1000;
    this.#pool.on('error', onError);
  }

  /**
   * @throws {Fault} TOO_MANY_REQUESTS when the account has as many as it may, UNAVAILABLE when all
   *   together do, or the database cannot be reached
   */
  async open(account: number | undefined): Promise<Snapshot> {
    const own = this.#byAccount.get(account) ?? 0;
    if (own >= mostSnapshots.ofAccount) {
      const message = `The account has ${mostSnapshots.ofAccount} exports at work: wait until one of them is over`;
      throw new TooMany(laterSeconds, message);
    }
    if (this.#open >= mostSnapshots.ofAll) {
      throw new Fault('UNAVAILABLE', ['Too many exports are running']);
    }
    this.#byAccount.set(account, own + 1);
    this.#open += 1;
    const leave = () => {
      this.#open -= 1;
      const rest = (this.#byAccount.get(account) ?? 0) - 1;
      if (rest > 0) this.#byAccount.set(account, rest);
      else this.#byAccount.delete(account);
    };
    try {
      return await this.#begin(await connectionOf(this.#pool, ample), leave);
    } catch (error) {
      leave();
      throw classify(error);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #begin(client: pg.PoolClient, leave: () => void): Promise<Snapshot> {
    // A lost connection shows in the statements that use it.
    const onError = () => undefined;
    client.on('error', onError);
    let isClosed = false;
    let atWork = 0;
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      client.removeListener('error', onError);
      // The driver would wait for a statement's last row.
      if (atWork > 0) connectionIn(client).stream.destroy();
      client.release(true);
      leave();
    };
    const query = <Row>({ text, values }: Statement): Promise<Row[]> => {
      this.#onStatement(text);
      atWork += 1;
      return new Promise<Row[]>((resolve, reject) => {
        const take = (rows: unknown[]) => resolve(rows as Row[]);
        const fail = (error: Error) => reject(classify(error));
        client.query(new Execution(plain(text), values, take, fail));
      }).finally(() => {
        atWork -= 1;
      });
    };
    const onStatement = this.#onStatement;
    async function* stream({ text, values }: Statement) {
      await query({ text: limitStatement(longestSnapshotMs), values: [] });
      onStatement(text);
      const rows = new TextStream(client, text, values);
      atWork += 1;
      client.query(rows);
      try {
        yield* rows.batches();
        atWork -= 1;
      } catch (error) {
        throw classify(error);
      }
    }
    try {
      await Promise.all(beginning.map((text) => query({ text, values: [] })));
    } catch (error) {
      client.removeListener('error', onError);
      client.release(true);
      throw error;
    }
    return { query, stream, close };
  }
}

/**
 * A pooler may have given the session other limits; and PostgreSQL should notice by itself when the
 * client has gone.
 */
const beginning = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  limitStatement(longestStatementMs),
  `SET LOCAL idle_in_transaction_session_timeout = ${longestSnapshotMs}`,
  'SET LOCAL client_connection_check_interval = 1000',
] as const;
