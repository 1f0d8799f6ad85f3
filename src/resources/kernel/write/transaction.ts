import type { Context, UnitOfWork } from '../../../context/context.ts';
import { retryConflicts } from '../../../db/transactions/retry.ts';

/**
 * Runs a use case's work in one transaction, and retries it when it lost a race.
 * @param also other errors that are worth a retry
 */
export const inTransaction = <T>(
  ctx: Omit<Context, 'signing'>,
  work: (tx: UnitOfWork) => Promise<T>,
  also?: (error: unknown) => boolean,
): Promise<T> => retryConflicts(() => ctx.db.transaction((db) => work({ ...ctx, db })), also);
