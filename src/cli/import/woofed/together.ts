/** Writing some records in one transaction, or finding out what would come of it. */
import type { Context } from '../../../context/context.ts';
import { temporarily } from '../local.ts';
import { persisting } from '../persisting.ts';

/** Ends a transaction of which nothing is to stay. */
class Rehearsed<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('nothing of it was to stay');
    this.result = result;
  }
}

/**
 * @param isDry whether nothing of it stays
 * @param work is done anew where it lost a race
 */
export const together = <T>(
  contextOf: () => Context,
  isDry: boolean,
  work: (ctx: Context) => Promise<T>,
): Promise<T> =>
  persisting(async () => {
    const ctx = contextOf();
    try {
      return await ctx.db.transaction(async ({ asDatabase }) => {
        const result = await work({ ...ctx, db: asDatabase });
        if (isDry) throw new Rehearsed(result);
        return result;
      });
    } catch (error) {
      if (error instanceof Rehearsed) return error.result;
      return temporarily(error);
    }
  });

/** A part of it that is undone alone when it throws. */
export const apart = <T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> =>
  ctx.db.transaction(({ asDatabase }) => work({ ...ctx, db: asDatabase }));
