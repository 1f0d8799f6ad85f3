/** How long a call spends in the database, for those who ask. */
import type { Database, SharedTransaction, Transaction } from './database.ts';

/** Milliseconds that a call has spent so far, each of its statements counted by itself. */
export interface Spent {
  /** Waiting for a connection. */
  queue: number;
  /** In the database and on the way there, with those. */
  db: number;
}

/** The same database, which notes what is spent. */
export function timed(database: Database, spent: Spent): Database {
  const measured = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      spent.db += performance.now() - began;
    }
  };
  return {
    ...database,
    query: (statement, how) => measured(() => database.query(statement, how)),
    transaction: (work) =>
      measured(() =>
        database.transaction(async (tx) => {
          const began = performance.now();
          try {
            return await work(timedTransaction(tx, spent));
          } finally {
            // What is done in between is not the database's; its own statements have counted themselves.
            spent.db -= performance.now() - began;
          }
        }),
      ),
    sharedTransaction: () => timedShared(database.sharedTransaction(), spent),
  };
}

const timedTransaction = (tx: Transaction, spent: Spent): Transaction => {
  const asDatabase = timed(tx.asDatabase, spent);
  return {
    query: async (statement, how) => {
      const began = performance.now();
      try {
        return await tx.query(statement, how);
      } finally {
        spent.db += performance.now() - began;
      }
    },
    asDatabase,
  };
};

const timedShared = (shared: SharedTransaction, spent: Spent): SharedTransaction => ({
  ...timed(shared, spent),
  ...(shared.outsideTransaction && {
    outsideTransaction: timed(shared.outsideTransaction, spent),
  }),
  commit: (last) => shared.commit(last),
  rollback: () => shared.rollback(),
});
