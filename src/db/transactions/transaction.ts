/** One transaction on one connection, and savepoints for the parts of it that may fail alone. */
import type pg from 'pg';
import { Fault } from '../../errors/errors.ts';
import type { RequestIdentity } from '../../lib/tracing.ts';
import { connectionOf } from '../connections/pool.ts';
import type { Database, Prepare, QueryOptions, Transaction } from '../database.ts';
import { because, classify, isBroken, isRefusal } from '../errors.ts';
import type { Lease } from '../scheduler/account_queue.ts';
import {
  answerMs,
  limitStatement,
  networkMs,
  noDeadline,
  type RemainingMs,
  takesTooLong,
} from '../scheduler/deadline.ts';
import { type SideStatements, sendQuery } from '../scheduler/prepared_query.ts';
import { type PreparedStatement, unprepared } from '../scheduler/statement_names.ts';
import type { StatementObserver } from '../scheduler/statement_observer.ts';
import type { Statement } from '../sql/sql.ts';

export interface TransactionOptions {
  readonly onStatement: (text: string) => void;
  readonly remainingMs: RemainingMs;
  /** When it has to be over, on the clock of `performance`. */
  readonly until: number;
  /** The right to its connection, which it gives back at the end. */
  readonly lease: Lease;
  readonly prepare: (text: string, how?: Prepare) => PreparedStatement;
  /** Whose transaction it is. */
  readonly database: Database;
  /** The account whose it is; undefined for the service's own. */
  readonly account: number | undefined;
  readonly request: RequestIdentity | undefined;
  readonly observer: StatementObserver;
}

const isConflict = isBroken('conflict');

/**
 * A transaction whose caller must end it, by `commit` or `rollback`. Each statement has the time that those
 * before it left.
 */
export class OpenTransaction implements Transaction {
  readonly asDatabase: Database;
  readonly #connection: pg.PoolClient;
  readonly #options: TransactionOptions;
  readonly #onError = (error: Error) => {
    this.#failure = error;
  };
  /** Why its connection, or PostgreSQL itself, failed, so that nothing of it can be kept. */
  #failure: Error | undefined;
  /** Errors of statements that nothing has undone. */
  #errors: unknown[] = [];
  /** The first of them that lost a race, for which whoever tries again must begin anew. */
  #conflict: unknown;
  /** What is still to be sent before the next statement. */
  #before: readonly string[] = ['BEGIN'];
  #savepoints = 0;

  private constructor(connection: pg.PoolClient, options: TransactionOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on('error', this.#onError);
    this.asDatabase = {
      ...options.database,
      query: (statement, how) => this.savepoint((tx) => tx.query(statement, how)),
      transaction: (work) => this.savepoint(work),
      of: () => this.asDatabase,
      close: () => Promise.resolve(),
    };
  }

  /** @throws {Fault} UNAVAILABLE when there is no connection for it */
  static async open(pool: pg.Pool, options: TransactionOptions): Promise<OpenTransaction> {
    try {
      return new OpenTransaction(await connectionOf(pool, options.until), options);
    } catch (error) {
      options.lease.release();
      throw classify(error);
    }
  }

  async query<Row>({ text, values }: Statement, { prepare }: QueryOptions = {}): Promise<Row[]> {
    if (this.#conflict) throw because(this.#conflict, new Fault('UNAVAILABLE'));
    try {
      // Only the caller knows what its own statement selects.
      return (await this.#run(this.#options.prepare(text, prepare), values)) as Row[];
    } catch (error) {
      this.#errors.push(error);
      if (isConflict(error)) this.#conflict ??= error;
      throw error;
    }
  }

  /**
   * Runs `work`. A statement that failed fails it even when `work` swallowed its error, because PostgreSQL
   * would answer the COMMIT with a silent rollback.
   * @throws the conflict that a part of it lost, for which it must begin anew
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const errors = this.#errors.length;
    try {
      const result = await work(this);
      if (this.#errors.length > errors) throw this.#errors[errors];
      return result;
    } catch (error) {
      throw this.#conflict ?? error;
    }
  }

  /**
   * Runs a part whose failure undoes that part alone.
   * @param isRetried whether its caller tries again after a conflict; otherwise a conflict is the whole
   *   transaction's: the winner of the race holds a lock that this one wants, and may want one that it holds
   */
  async savepoint<T>(work: (tx: Transaction) => Promise<T>, isRetried = false): Promise<T> {
    const errors = this.#errors.length;
    this.#savepoints += 1;
    const savepoint = `savepoint_${this.#savepoints}`;
    this.prepend(`SAVEPOINT ${savepoint}`);
    try {
      const result = await this.run(work);
      this.prepend(`RELEASE SAVEPOINT ${savepoint}`);
      return result;
    } catch (error) {
      if (this.#failure || (this.#conflict && !isRetried)) throw error;
      await this.#rollbackTo(savepoint);
      this.#errors.length = errors;
      this.#conflict = undefined;
      throw error;
    } finally {
      this.#savepoints -= 1;
    }
  }

  /** Has something done before the next statement, and together with it. */
  prepend(...statements: readonly string[]): void {
    this.#before = [...this.#before, ...statements];
  }

  /**
   * @param last a statement that goes out together with the COMMIT, which is not done when it fails
   * @throws when nothing was done, or nobody knows: the caller then has to call `rollback`
   */
  async commit(last?: Statement): Promise<void> {
    if (last) await this.#run(this.#options.prepare(last.text), last.values, ['COMMIT']);
    else if (this.#hasBegun) await this.#run(unprepared('COMMIT'), []);
    this.#release();
  }

  /** Undoes everything. */
  async rollback(): Promise<void> {
    if (this.#hasBegun) {
      // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
      // ends the transaction with it.
      const restMs = this.#options.until + networkMs - performance.now();
      const ms = Math.max(1, Math.min(networkMs, restMs));
      this.#options.onStatement('ROLLBACK');
      await this.#send(unprepared('ROLLBACK'), [], ms).catch(() => undefined);
    }
    this.#release();
  }

  get #hasBegun(): boolean {
    return this.#before[0] !== 'BEGIN';
  }

  /**
   * BEGIN goes out with the first statement. PostgreSQL takes both as one: it cannot have failed to begin and
   * do the statement all the same.
   * @throws what {@link classify} makes of an error; UNAVAILABLE when the time is over
   */
  async #run(
    statement: PreparedStatement,
    values: readonly unknown[],
    after: readonly string[] = [],
  ): Promise<unknown[]> {
    const { onStatement, remainingMs, until } = this.#options;
    if (this.#failure) throw because(this.#failure, new Fault('UNAVAILABLE'));
    const ms = remainingMs(until);
    if (ms === 0) throw takesTooLong();
    const before = ms === noDeadline ? this.#before : [...this.#before, limitStatement(ms)];
    this.#before = [];
    for (const text of [...before, statement.text, ...after]) onStatement(text);
    return this.#send(statement, values, answerMs(ms), { before, after });
  }

  /**
   * Undoes what was done since a savepoint. Nothing else is sent before it, such as a limit of its time: after a
   * statement that failed PostgreSQL takes nothing but this. When it fails, nothing can be kept.
   */
  async #rollbackTo(savepoint: string): Promise<void> {
    const before = this.#before;
    this.#before = [];
    const statement = unprepared(`ROLLBACK TO SAVEPOINT ${savepoint}`);
    for (const text of [...before, statement.text]) this.#options.onStatement(text);
    await this.#send(statement, [], networkMs, { before }).catch((error: Error) => {
      this.#failure ??= error;
    });
  }

  #send(
    statement: PreparedStatement,
    values: readonly unknown[],
    ms: number | undefined,
    around?: SideStatements,
  ): Promise<unknown[]> {
    const { account, request, observer } = this.#options;
    const observed = { statement, account, request };
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const succeed = (rows: unknown[]) => {
        observer.succeeded(observed, performance.now() - began, rows.length);
        resolve(rows);
      };
      const fail = (error: Error) => {
        if (!isRefusal(error)) this.#failure ??= error;
        observer.failed(observed, performance.now() - began, error);
        reject(classify(error));
      };
      sendQuery(this.#connection, statement, values, succeed, fail, ms, around);
    });
  }

  #release(): void {
    this.#connection.removeListener('error', this.#onError);
    this.#connection.release(this.#failure);
    this.#options.lease.release();
  }
}
