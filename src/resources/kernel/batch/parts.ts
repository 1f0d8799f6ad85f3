/** Applying a batch: whole, or in parts that commit on their own. */
import type { Context } from '../../../context/context.ts';
import type { Queryable } from '../../../db/database.ts';
import { DatabaseError, isBroken } from '../../../db/errors.ts';
import { retryConflicts } from '../../../db/transactions/retry.ts';
import { type Code, Fault } from '../../../errors/errors.ts';
import { type FixMoment, sharedMoment } from '../write/moment.ts';
import { BatchProgress, CompletedElsewhere } from './progress.ts';
import type { Item, Outcome, Verb } from './verb.ts';

/** Records that are written together at most: some fifty milliseconds of a connection and of locks. */
const maxTogether = 250;

/** How long a part goes on that writes one record after the other, in milliseconds. */
const longestPart = 500;

/** Refusals of one record; any other ends the batch. */
const own: ReadonlySet<Code> = new Set<Code>([
  'VALIDATION_FAILED',
  'NOT_FOUND',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPE',
]);

const isOwn = (error: unknown): error is Fault => error instanceof Fault && own.has(error.code);

/**
 * Applies records so that each stands alone. When a call that does nothing else is made again with its key,
 * it goes on after the last part that was done.
 * @returns their outcomes; where the service fails on the way, that of all those not written by then
 * @throws {Fault} when it fails before any is, or on the way of a call with a key, which can be made again
 */
export async function inParts(
  ctx: Context,
  verb: Verb,
  items: readonly Item[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const doing = await BatchProgress.of(ctx);
  const within = { ...ctx, db: doing.db };
  const fix = sharedMoment();
  for (let part = 1; outcomes.length < items.length; ) {
    const rest = items.slice(outcomes.length, outcomes.length + maxTogether);
    const keep = (of: readonly Outcome[], tx: Queryable) => doing.keep(tx, part, of);
    try {
      const results =
        doing.done(part) ?? (await inTransaction(within, fix, verb, rest, longestPart, keep));
      outcomes.push(...results);
      part += 1;
    } catch (error) {
      if (error instanceof CompletedElsewhere) {
        await doing.read();
        continue;
      }
      const hasKey = ctx.db.outsideTransaction !== undefined;
      if (hasKey || outcomes.length === 0 || !(error instanceof Fault)) throw error;
      while (outcomes.length < items.length) outcomes.push({ fault: error });
    }
  }
  return outcomes;
}

/**
 * Applies all records or none.
 * @param isUndone whether none is to stay, whatever becomes of these
 * @returns their outcomes; when one is refused none was written
 */
export async function asOne(
  ctx: Context,
  verb: Verb,
  items: readonly Item[],
  isUndone: boolean,
): Promise<readonly Outcome[]> {
  try {
    return await inTransaction(
      ctx,
      sharedMoment(),
      verb,
      items,
      Number.POSITIVE_INFINITY,
      async (outcomes) => {
        if (isUndone || outcomes.some((outcome) => 'fault' in outcome)) throw new Undone(outcomes);
      },
    );
  } catch (error) {
    if (error instanceof Undone) return error.outcomes;
    throw error;
  }
}

/** Ends a transaction so that nothing of it stays. */
class Undone extends Error {
  readonly outcomes: readonly Outcome[];

  constructor(outcomes: readonly Outcome[]) {
    super('nothing of the batch was to stay');
    this.outcomes = outcomes;
  }
}

/**
 * Applies records in one transaction, or as many as the time allows.
 * @param fix gives the transaction its moment
 * @param check is what the transaction ends with, and throws what undoes it
 */
async function inTransaction(
  ctx: Context,
  fix: FixMoment,
  verb: Verb,
  items: readonly Item[],
  longest: number,
  check: (outcomes: readonly Outcome[], tx: Queryable) => Promise<void>,
): Promise<readonly Outcome[]> {
  const { many } = verb;
  if (many) {
    try {
      const results = await retryConflicts(
        () =>
          ctx.db.transaction(async (db) => {
            const outcomes = await many(await fix({ ...ctx, db }), items);
            if (outcomes) await check(outcomes, db);
            return outcomes;
          }),
        isBroken('unique'),
      );
      if (results) return results;
    } catch (error) {
      // Some record breaks a rule of the database. Which one, single calls find out.
      if (!(error instanceof DatabaseError || isOwn(error))) throw error;
    }
  }
  return retryConflicts(() =>
    ctx.db.transaction(async (tx) => {
      const within = await fix({ ...ctx, db: tx.asDatabase });
      const outcomes = await oneByOne(within, verb, items, longest);
      await check(outcomes, tx);
      return outcomes;
    }),
  );
}

async function oneByOne(
  ctx: Context,
  { one }: Verb,
  items: readonly Item[],
  longest: number,
): Promise<readonly Outcome[]> {
  const end = performance.now() + longest;
  const outcomes: Outcome[] = [];
  for (const { record, misplaced } of items) {
    if (outcomes.length > 0 && performance.now() > end) break;
    try {
      outcomes.push(await one({ ...ctx, misplaced }, ctx.viewer.accountId, record));
    } catch (error) {
      if (!isOwn(error)) throw error;
      outcomes.push({ fault: error });
    }
  }
  return outcomes;
}
