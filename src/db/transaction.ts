import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { classify } from './errors.ts';

/** What one transaction offers to the code inside it: run this on its connection. */
export type RunInside = <T>(statement: (connection: Connection) => Promise<T>) => Promise<T>;

type Connection = Awaited<ReturnType<SqlDriverAdapter['startTransaction']>>;

/**
 * Runs `work` between BEGIN and COMMIT on one connection, which always goes back to the pool.
 * A statement that failed fails the transaction even when `work` swallowed its error, because
 * PostgreSQL would answer the COMMIT with a silent rollback.
 * @throws whatever `work` threw, after a ROLLBACK
 */
export async function inTransaction<T>(
  adapter: SqlDriverAdapter,
  onStatement: ((text: string) => void) | undefined,
  work: (run: RunInside) => Promise<T>,
): Promise<T> {
  onStatement?.('BEGIN');
  const connection = await adapter.startTransaction().catch((error: unknown) => {
    throw classify(error);
  });
  const failures: unknown[] = [];
  const send = (text: 'COMMIT' | 'ROLLBACK') => {
    onStatement?.(text);
    return connection.executeRaw({ sql: text, args: [], argTypes: [] });
  };
  try {
    const result = await work((statement) =>
      statement(connection).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
    );
    if (failures.length > 0) throw failures[0];
    await send('COMMIT').catch((error: unknown) => {
      throw classify(error);
    });
    return result;
  } catch (error) {
    // A connection that cannot even roll back is broken: the pool discards it, and PostgreSQL
    // ends the transaction with it.
    await send('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await connection.rollback();
  }
}
