/** Writing some records in one transaction, or finding out what would come of it. */
import type { Context } from '../../../context/context.ts';
import { rehearse } from '../../../context/dry_run.ts';
import { temporarily } from '../local.ts';
import { retryFailures } from '../retry.ts';

/**
 * @param isDry whether nothing of it stays
 * @param work is done anew where it lost a race
 */
export const together = <T>(
  contextOf: () => Context,
  isDry: boolean,
  work: (ctx: Context) => Promise<T>,
): Promise<T> =>
  retryFailures(() => {
    const ctx = contextOf();
    return (isDry ? rehearse(ctx, work) : inSavepoint(ctx, work)).catch(temporarily);
  });

/** A part of it that is undone alone when it throws. */
export const inSavepoint = <T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> =>
  ctx.db.transaction(({ asDatabase }) => work({ ...ctx, db: asDatabase }));
