import type pg from 'pg';
import { classify } from './errors.ts';

/** Runs a statement on the transaction's connection. */
type RunInside = <T>(statement: (connection: pg.PoolClient) => Promise<T>) => Promise<T>;

/**
 * Runs `work` between BEGIN and COMMIT on one connection, which always goes back to the pool.
 * A statement that failed fails the transaction even when `work` swallowed its error, because
 * PostgreSQL would answer the COMMIT with a silent rollback.
 * @throws whatever `work` threw, after a ROLLBACK
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  onStatement: (text: string) => void,
  work: (run: RunInside) => Promise<T>,
): Promise<T> {
  onStatement('BEGIN');
  const connection = await pool.connect().catch((error: unknown) => {
    throw classify(error);
  });
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  connection.on('error', onError);
  const failures: unknown[] = [];
  const send = (text: 'BEGIN' | 'COMMIT') =>
    connection.query(text).catch((error: unknown) => {
      throw classify(error);
    });
  try {
    await send('BEGIN');
    const result = await work((statement) =>
      statement(connection).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
    );
    if (failures.length > 0) throw failures[0];
    onStatement('COMMIT');
    await send('COMMIT');
    return result;
  } catch (error) {
    onStatement('ROLLBACK');
    // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
    // ends the transaction with it.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    connection.removeListener('error', onError);
    connection.release(broken);
  }
}
