/** Calls done by one statement, which also looks up an earlier answer and stores the new one. */
import type { Context, InlineIdempotency } from '../../context/context.ts';
import type { CreationHeaders } from '../../context/idempotency.ts';
import { isStoppedAtLock } from '../../db/errors.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { type AnswerRow, answerTo, insertionOfRecord, withHead } from './answers.ts';
import { isTaken, NotCommitted, table } from './not_committed.ts';

/** The call was answered before, and nothing was written. */
export class AnsweredBefore extends Error {
  readonly stored: AnswerRow;

  constructor(stored: AnswerRow) {
    super('the call was answered before');
    this.stored = stored;
  }
}

/** Takes the place of an earlier answer where there is none. */
interface NoAnswer {
  readonly digest: null;
}

/** @returns a `InlineIdempotency` that also says whether a statement has stored its answer */
export function inlineIdempotencyOf(
  { db, viewer: { accountId, role } }: Context,
  stamp: Parameters<typeof insertionOfRecord>[1],
  created: CreationHeaders,
): InlineIdempotency & { isDone(): boolean } {
  let isDone = false;
  const run = async <Row>(statement: Sql) => {
    try {
      return await db.query<(AnswerRow | NoAnswer) & Row>(statement);
    } catch (error) {
      const isRace = isTaken(error) || isStoppedAtLock(error, table);
      throw isRace ? new NotCommitted(error) : error;
    }
  };
  return {
    write: async <Row>(...[one, steps, query]: Parameters<InlineIdempotency['write']>) => {
      const head = withHead({ headers: created.headers(), role }, '');
      const [row] = await run<Row>(
        sql`WITH known AS (${answerTo(accountId, stamp.digest)}), ${steps}, shown AS (${query}),
            kept AS (${insertionOfRecord(accountId, stamp, head, one)})
          SELECT * FROM (SELECT) AS always LEFT JOIN known ON true LEFT JOIN shown ON true`,
      );
      if (!row) throw new Error('a row that is always there was not returned');
      if (row.digest !== null) throw new AnsweredBefore(row);
      isDone = true;
      return row;
    },
    // A getter in a literal would have V8 make a hidden class for each call, which keeps the whole call in
    // memory until its next full collection.
    isDone: () => isDone,
  };
}
