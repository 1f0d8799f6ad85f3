import type pg from 'pg';
import { connectionOf } from '../connections/pool.ts';
import { classify } from '../errors.ts';
import {
  ample,
  answerMs,
  limitStatement,
  networkMs,
  type TimeLeft,
  takesTooLong,
} from '../scheduler/deadline.ts';
import { isRefusal } from '../scheduler/dispatcher.ts';
import { type Around, Execution } from '../scheduler/prepared_query.ts';
import { plain } from '../scheduler/send.ts';
import type { Named } from '../scheduler/statement_names.ts';

export interface TransactionOptions {
  readonly onStatement: (text: string) => void;
  readonly timeLeft: TimeLeft;
  /** When it has to be over, on the clock of `performance`. */
  readonly until: number;
}

/**
 * A transaction on one connection, which goes back to the pool at the end. The caller must end it,
 * by `commit` or `rollback`. Each statement has the time that those before it left.
 */
export class OpenTransaction {
  readonly #connection: pg.PoolClient;
  readonly #options: TransactionOptions;
  readonly #onError = (error: Error) => {
    this.#broken = error;
  };
  #broken: Error | undefined;
  #isFatal = false;
  /** What is still to be sent ahead of the next statement. */
  #ahead: readonly string[] = ['BEGIN'];

  private constructor(connection: pg.PoolClient, options: TransactionOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on('error', this.#onError);
  }

  /** @throws {Fault} UNAVAILABLE when there is no connection for it */
  static async open(pool: pg.Pool, options: TransactionOptions): Promise<OpenTransaction> {
    const connection = await connectionOf(pool, options.until).catch((error: unknown) => {
      throw classify(error);
    });
    return new OpenTransaction(connection, options);
  }

  /**
   * BEGIN goes out with the first statement. PostgreSQL takes both as one: it cannot have failed to begin and
   * do the statement all the same.
   * @returns the rows of the statement
   * @throws what {@link classify} makes of an error; UNAVAILABLE when the time is over
   */
  run(statement: Named, values: readonly unknown[]): Promise<unknown[]> {
    return this.#run(statement, values, []);
  }

  async #run(
    statement: Named,
    values: readonly unknown[],
    behind: readonly string[],
  ): Promise<unknown[]> {
    const { onStatement, timeLeft, until } = this.#options;
    const left = timeLeft(until);
    if (left === 0) throw takesTooLong();
    const ahead = left === ample ? this.#ahead : [...this.#ahead, limitStatement(left)];
    this.#ahead = [];
    for (const text of [...ahead, statement.text, ...behind]) onStatement(text);
    return this.#send(statement, values, answerMs(left), { ahead, behind });
  }

  /**
   * Undoes what was done since a savepoint. Nothing else is sent ahead of it, such as a limit of its time:
   * after a statement that failed PostgreSQL takes nothing but this.
   */
  async rollbackTo(savepoint: string): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = [];
    const statement = plain(`ROLLBACK TO SAVEPOINT ${savepoint}`);
    for (const text of [...ahead, statement.text]) this.#options.onStatement(text);
    await this.#send(statement, [], networkMs, { ahead });
  }

  /** Has something done ahead of the next statement, and together with it. */
  precede(...statements: readonly string[]): void {
    this.#ahead = [...this.#ahead, ...statements];
  }

  /**
   * @param last a statement that goes out together with the COMMIT, which is not done when it fails
   * @throws when nothing was done, or nobody knows: the caller then has to call `rollback`
   */
  async commit(last?: readonly [Named, readonly unknown[]]): Promise<void> {
    if (last) await this.#run(...last, ['COMMIT']);
    else if (this.#hasBegun) await this.run(plain('COMMIT'), []);
    this.#release();
  }

  /** Undoes everything. */
  async rollback(): Promise<void> {
    if (this.#hasBegun) {
      // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
      // ends the transaction with it.
      const left = this.#options.until + networkMs - performance.now();
      const ms = Math.max(1, Math.min(networkMs, left));
      this.#options.onStatement('ROLLBACK');
      await this.#send(plain('ROLLBACK'), [], ms).catch(() => undefined);
    }
    this.#release();
  }

  /** Whether its connection, or PostgreSQL itself, has failed, so that nothing of it can be kept. */
  get isFatal(): boolean {
    return this.#isFatal || this.#broken !== undefined;
  }

  get #hasBegun(): boolean {
    return this.#ahead[0] !== 'BEGIN';
  }

  #send(
    statement: Named,
    values: readonly unknown[],
    ms: number | undefined,
    around?: Around,
  ): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        this.#isFatal ||= !isRefusal(error);
        reject(classify(error));
      };
      this.#connection.query(new Execution(statement, values, resolve, fail, ms, around));
    });
  }

  #release(): void {
    this.#connection.removeListener('error', this.#onError);
    this.#connection.release(this.#broken ?? this.#isFatal);
  }
}
