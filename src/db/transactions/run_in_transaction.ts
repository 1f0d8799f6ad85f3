/** Work that a transaction does as a whole, and parts of it that may fail alone. */
import { Fault } from '../../errors/errors.ts';
import type { Database, Queryable, QueryOptions, Transaction } from '../database.ts';
import { because, isBroken } from '../errors.ts';
import type { Named } from '../scheduler/statement_names.ts';
import type { OpenTransaction } from './transaction.ts';

/** How a statement's text is sent: prepared under a name, or without. */
export type NameOf = (text: string, prepare: QueryOptions['prepare']) => Named;

/**
 * Runs `work` in a transaction. A statement that failed fails it even when `work` swallowed its error,
 * because PostgreSQL would answer the COMMIT with a silent rollback.
 * @param db whose transaction it is
 * @throws the conflict that a part of it lost, for which it must begin anew
 */
export async function whole<T>(
  open: OpenTransaction,
  db: Database,
  nameOf: NameOf,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = [];
  let lost: unknown;
  let depth = 0;
  const query: Queryable['query'] = async <Row>(
    { text, values }: { readonly text: string; readonly values: readonly unknown[] },
    { prepare }: QueryOptions = {},
  ) => {
    if (lost) throw because(lost, new Fault('UNAVAILABLE'));
    try {
      // Only the caller knows what its own statement selects.
      return (await open.run(nameOf(text, prepare), values)) as Row[];
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  /** Runs a part whose failure undoes that part alone. */
  const attempt = async <P>(part: () => Promise<P>): Promise<P> => {
    const before = failures.length;
    const savepoint = `attempt_${++depth}`;
    open.precede(`SAVEPOINT ${savepoint}`);
    try {
      const result = await part();
      if (failures.length > before) throw failures[before];
      open.precede(`RELEASE SAVEPOINT ${savepoint}`);
      return result;
    } catch (error) {
      if (open.isFatal) throw error;
      // The winner of a race holds a lock that this transaction wants, and may want one that it holds.
      lost ??= failures.slice(before).find(isBroken('conflict'));
      if (lost) throw error;
      await open.rollbackTo(savepoint);
      failures.length = before;
      throw error;
    } finally {
      depth -= 1;
    }
  };
  const asDatabase: Database = {
    ...db,
    query: (statement, how) => attempt(() => query(statement, how)),
    transaction: (part) => attempt(() => part(tx)),
    of: () => asDatabase,
    close: () => Promise.resolve(),
  };
  const tx: Transaction = { query, asDatabase };
  try {
    const result = await work(tx);
    if (failures.length > 0) throw failures[0];
    return result;
  } catch (error) {
    throw lost ?? error;
  }
}
