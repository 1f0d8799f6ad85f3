import { isNativeError } from 'node:util/types';
import type pg from 'pg';
import { Fault } from '../errors.ts';
import { answerMs, limitStatement, networkMs, type TimeLeft, takesTooLong } from './deadline.ts';
import { because, classify, isBroken } from './errors.ts';
import { Execution } from './execution.ts';
import { connectionOf } from './pool.ts';
import { plain } from './send.ts';
import { isRefusal } from './turn.ts';

/**
 * Runs a statement on the transaction's connection.
 * @param ms how long to wait for its answer, if not as long as for any
 */
type RunInside = <T>(
  statement: (connection: pg.PoolClient, ms: number | undefined) => Promise<T>,
) => Promise<T>;

/** Runs a part of the transaction whose failure undoes that part alone. */
export type Attempt = <T>(part: () => Promise<T>) => Promise<T>;

export interface TransactionOptions {
  readonly onStatement: (text: string) => void;
  readonly timeLeft: TimeLeft;
  /** When it has to be over, on the clock of `performance`. */
  readonly until: number;
}

/**
 * Runs `work` between BEGIN and COMMIT on one connection, which always goes back to the pool.
 * A statement that failed fails the transaction even when `work` swallowed its error, because
 * PostgreSQL would answer the COMMIT with a silent rollback. Each has the time that those before it
 * left.
 * @throws whatever `work` threw, after a ROLLBACK; UNAVAILABLE when the time is over; the conflict that an
 *   attempt in it lost, for which it must begin anew
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  { onStatement, timeLeft, until }: TransactionOptions,
  work: (run: RunInside, attempt: Attempt) => Promise<T>,
): Promise<T> {
  const connection = await connectionOf(pool, until).catch((error: unknown) => {
    throw classify(error);
  });
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  connection.on('error', onError);
  const failures: unknown[] = [];
  let lost: unknown;
  let depth = 0;
  const time = (): number => {
    const left = timeLeft(until);
    if (left === 0) throw takesTooLong();
    return left;
  };
  const send = (text: string, ms: number | undefined) => {
    onStatement(text);
    return new Promise<unknown>((resolve, reject) => {
      const fail = (error: Error) => reject(classify(error));
      connection.query(new Execution(plain(text), [], resolve, fail, ms));
    });
  };
  // Not waited for: if it failed, so would the statement behind it.
  const sendAhead = (text: string, ms: number | undefined) => {
    send(text, ms).catch(() => undefined);
  };
  const run: RunInside = async (statement) => {
    if (lost) throw because(lost, new Fault('UNAVAILABLE'));
    try {
      const left = time();
      const ms = answerMs(left);
      if (ms !== undefined) sendAhead(limitStatement(left), ms);
      return await statement(connection, ms);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const attempt: Attempt = async (part) => {
    const before = failures.length;
    const savepoint = `attempt_${++depth}`;
    sendAhead(`SAVEPOINT ${savepoint}`, answerMs(time()));
    try {
      const result = await part();
      if (failures.length > before) throw failures[before];
      sendAhead(`RELEASE ${savepoint}`, answerMs(time()));
      return result;
    } catch (error) {
      const own = failures.slice(before);
      if (own.some(isFatal)) throw error;
      // Whoever won holds a lock that this transaction wants, and may want one that it holds.
      lost ??= own.find(isBroken('conflict'));
      if (lost) throw error;
      await send(`ROLLBACK TO ${savepoint}`, answerMs(time()));
      failures.length = before;
      throw error;
    } finally {
      depth -= 1;
    }
  };
  try {
    await send('BEGIN', answerMs(time()));
    const result = await work(run, attempt);
    if (failures.length > 0) throw failures[0];
    await send('COMMIT', answerMs(time()));
    return result;
  } catch (error) {
    // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
    // ends the transaction with it.
    const left = until + networkMs - performance.now();
    await send('ROLLBACK', Math.max(1, Math.min(networkMs, left))).catch(() => undefined);
    throw lost ?? error;
  } finally {
    connection.removeListener('error', onError);
    connection.release(broken ?? failures.some(isFatal));
  }
}

/** Whether the connection on which a statement failed would go on failing. */
const isFatal = (classified: unknown): boolean =>
  !isRefusal(isNativeError(classified) && classified.cause ? classified.cause : classified);
