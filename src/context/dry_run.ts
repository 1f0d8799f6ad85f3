/** Dry runs: a call does all that it does, and nothing of it stays. */
import type { Transaction } from '../db/database.ts';
import { retryConflicts } from '../db/transactions/retry.ts';
import { invalid } from '../errors/errors.ts';
import type { Context } from './context.ts';

/** Ends a transaction of which nothing is to stay. */
class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('nothing of it was to stay');
    this.result = result;
  }
}

/**
 * Runs work in one transaction that is always rolled back, so that it meets every check that it would meet
 * otherwise, and nothing that it writes is ever seen: no record, entry, delivery or stored answer.
 * @param work may be called again when it lost a race; it gets a context whose writes are undone
 * @returns what the work returns, with the ids and times that it was given
 * @throws whatever the work throws
 */
export function rehearse<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  const run = async ({ asDatabase: db }: Transaction): Promise<never> => {
    throw new Undone(await work(withoutTraces(ctx, db)));
  };
  return retryConflicts(async () => {
    try {
      return await ctx.db.transaction(run);
    } catch (error) {
      if (error instanceof Undone) return error.result;
      throw error;
    }
  });
}

/** Nobody is told of what will not have happened, and no answer is kept. */
const withoutTraces = ({ inlineIdempotency: _, ...ctx }: Context, db: Context['db']): Context => ({
  ...ctx,
  db,
  isDryRun: true,
  progress: undefined,
  viewers: { forget: () => undefined },
  deliveries: { ...ctx.deliveries, wake: () => undefined },
});

/**
 * For calls whose answers hold a secret, or which change one: none is made that would not work.
 * @throws {Fault} VALIDATION_FAILED in a dry run
 */
export function refuseDryRun({ isDryRun }: Pick<Context, 'isDryRun'>): void {
  if (isDryRun) throw invalid('Prefer', noSecrets);
}

const noSecrets = 'must not be dry-run: what makes or changes a secret cannot be tried';
