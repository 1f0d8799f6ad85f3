import { isNativeError } from 'node:util/types';
import type pg from 'pg';
import { answerMs, limitStatement, networkMs, type TimeLeft, takesTooLong } from './deadline.ts';
import { classify } from './errors.ts';
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
 * @throws whatever `work` threw, after a ROLLBACK; UNAVAILABLE when the time is over
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  { onStatement, timeLeft, until }: TransactionOptions,
  work: (run: RunInside) => Promise<T>,
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
  try {
    await send('BEGIN', answerMs(time()));
    const result = await work(async (statement) => {
      try {
        const left = time();
        const ms = answerMs(left);
        // Not waited for: if it failed, so would the statement behind it.
        if (ms !== undefined) send(limitStatement(left), ms).catch(() => undefined);
        return await statement(connection, ms);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    });
    if (failures.length > 0) throw failures[0];
    await send('COMMIT', answerMs(time()));
    return result;
  } catch (error) {
    // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
    // ends the transaction with it.
    const left = until + networkMs - performance.now();
    await send('ROLLBACK', Math.max(1, Math.min(networkMs, left))).catch(() => undefined);
    throw error;
  } finally {
    connection.removeListener('error', onError);
    connection.release(broken ?? failures.some(isFatal));
  }
}

/** Whether the connection on which a statement failed would go on failing. */
const isFatal = (classified: unknown): boolean =>
  !isRefusal(isNativeError(classified) && classified.cause ? classified.cause : classified);
