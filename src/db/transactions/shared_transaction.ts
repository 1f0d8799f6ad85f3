/** Writes of several callers as one transaction. */
import type { Database, SharedTransaction, Transaction } from '../database.ts';
import type { OpenTransaction } from './transaction.ts';

/**
 * @param database where what only reads goes while there is nothing to commit
 * @param open begins a transaction, which is not done before the first write
 */
export function shareTransaction(
  database: Database,
  open: () => Promise<OpenTransaction>,
): SharedTransaction {
  let shared: OpenTransaction | undefined;
  let isBusy = false;

  const rollback = async () => {
    const ended = shared;
    shared = undefined;
    await ended?.rollback();
  };

  /** The first work needs no savepoint: there is nothing before it that its failure must leave. */
  const begin = async <T>(work: (tx: Transaction) => Promise<T>) => {
    shared = await open();
    try {
      return await shared.run(work);
    } catch (error) {
      await rollback();
      throw error;
    }
  };

  const transaction = async <T>(work: (tx: Transaction) => Promise<T>) => {
    if (isBusy) throw new Error('two savepoints of a shared transaction overlap');
    isBusy = true;
    try {
      return await (shared ? shared.savepoint(work, true) : begin(work));
    } finally {
      isBusy = false;
    }
  };

  return {
    ...database,
    outsideTransaction: database,
    query: (statement, options) =>
      options?.reads && !shared
        ? database.query(statement, options)
        : transaction((tx) => tx.query(statement, options)),
    transaction,
    rollback,
    commit: async (last) => {
      if (!shared) {
        await database.query(last);
        return;
      }
      try {
        await shared.commit(last);
        shared = undefined;
      } catch (error) {
        await rollback();
        throw error;
      }
    },
  };
}
