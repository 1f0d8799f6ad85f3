/** Calls that one statement does, which stores the answer, too. */
import type { Context, Keeping } from '../../context.ts';
import { isStoppedAtLock } from '../../db/errors.ts';
import type { Created } from '../../keyed.ts';
import { isTaken, NotCommitted, table } from './not_committed.ts';
import { insertionOfShown, withHead } from './stored.ts';

/** @returns what has a statement store its answer, and tells whether one has done so */
export function keepingIn(
  { db, viewer: { accountId, role } }: Context,
  stamp: Parameters<typeof insertionOfShown>[1],
  created: Created,
): Keeping & { readonly isDone: boolean } {
  let isDone = false;
  return {
    step: (one) => {
      const head = withHead({ headers: created.headers(), role }, '');
      return insertionOfShown(accountId, stamp, head, one);
    },
    query: async <Row>(...asked: Parameters<Keeping['query']>) => {
      try {
        const rows = await db.query<Row>(...asked);
        isDone = true;
        return rows;
      } catch (error) {
        const isRace = isTaken(error) || isStoppedAtLock(error, table);
        throw isRace ? new NotCommitted(error) : error;
      }
    },
    get isDone() {
      return isDone;
    },
  };
}
