/** Writes of several units of work as one transaction. */
import type { Database, Joint, Transaction } from '../database.ts';
import { type NameOf, whole } from './run_in_transaction.ts';
import type { OpenTransaction } from './transaction.ts';

/** What the units need of the database. */
export interface JointOptions {
  /** @returns a transaction, and how to give back the right to its connection */
  begin(): Promise<readonly [OpenTransaction, () => void]>;
  readonly nameOf: NameOf;
}

/** @param db where what reads alone goes while there is nothing to commit */
export function jointly(db: Database, { begin, nameOf }: JointOptions): Joint {
  let open: readonly [OpenTransaction, () => void] | undefined;
  let units = 0;
  let isBusy = false;
  /** Why what was done before cannot be kept. */
  let lost: { readonly error: unknown } | undefined;

  const rollback = async () => {
    const [transaction, release] = open ?? [];
    open = undefined;
    await transaction?.rollback();
    release?.();
  };

  /** Undoes a unit alone, unless it is the first. */
  const undo = async (transaction: OpenTransaction, unit: number) => {
    if (unit === 1) return rollback();
    await transaction.rollbackTo(`unit_${unit}`).catch((error: unknown) => {
      lost = { error };
    });
  };

  const inUnit = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    if (isBusy) throw new Error('two units of a joint transaction overlap');
    isBusy = true;
    try {
      if (lost) throw lost.error;
      if (!open) units = 0;
      open ??= await begin();
      const [transaction] = open;
      units += 1;
      const unit = units;
      if (unit > 2) transaction.precede(`RELEASE SAVEPOINT unit_${unit - 1}`);
      // A name of its own, so that one which was not set cannot be taken for that of a unit before.
      if (unit > 1) transaction.precede(`SAVEPOINT unit_${unit}`);
      try {
        return await whole(transaction, db, nameOf, work);
      } catch (error) {
        await undo(transaction, unit);
        throw error;
      }
    } finally {
      isBusy = false;
    }
  };

  return {
    ...db,
    apart: db,
    query: (statement, options) =>
      options?.reads && !open
        ? db.query(statement, options)
        : inUnit((tx) => tx.query(statement, options)),
    transaction: inUnit,
    rollback,
    commit: async (last) => {
      if (!open) {
        await db.query(last);
        return;
      }
      try {
        if (lost) throw lost.error;
        await open[0].commit([nameOf(last.text, 'always'), last.values]);
      } catch (error) {
        await rollback();
        throw error;
      }
      open[1]();
      open = undefined;
    },
  };
}
