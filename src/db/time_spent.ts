/** How long a call spends in the database, for those who ask. */
import type { Database, SharedTransaction, Transaction } from './database.ts';

/** Milliseconds that a call has spent so far, each of its statements counted by itself. */
export interface TimeSpent {
  /** Waiting for a connection. */
  queue: number;
  /** In the database and on the way there, with those. */
  db: number;
}

/** The same database, which notes what is spent. */
export function measure(database: Database, spent: TimeSpent): Database {
  const note = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      spent.db += performance.now() - began;
    }
  };
  return {
    ...database,
    query: (statement, how) => note(() => database.query(statement, how)),
    transaction: (work) =>
      note(() =>
        database.transaction(async (tx) => {
          const began = performance.now();
          try {
            return await work(measureTransaction(tx, spent));
          } finally {
            // What is done in between is not the database's; its own statements have counted themselves.
            spent.db -= performance.now() - began;
          }
        }),
      ),
    sharedTransaction: () => measureShared(database.sharedTransaction(), spent),
  };
}

const measureTransaction = (tx: Transaction, spent: TimeSpent): Transaction => {
  const asDatabase = measure(tx.asDatabase, spent);
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

const measureShared = (shared: SharedTransaction, spent: TimeSpent): SharedTransaction => ({
  ...measure(shared, spent),
  ...(shared.outsideTransaction && {
    outsideTransaction: measure(shared.outsideTransaction, spent),
  }),
  commit: (last) => shared.commit(last),
  rollback: () => shared.rollback(),
});
