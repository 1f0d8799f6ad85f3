import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import type { Erased } from '../audit/erasure.ts';

/** Stands for a record of which an answer does not say which one it is. */
export const anyRecord = 'any';

/** How many records one statement looks for. */
const batchSize = 5000;

/** Erases the stored answers that show these records, and those that may do so. */
export async function eraseAnswers(ctx: UnitOfWork, erased: Erased): Promise<void> {
  const records = [...erased].flatMap(([kind, ids]) => [...ids].map((id) => `${kind}:${id}`));
  const all = [anyRecord, ...records];
  for (let from = 0; from < all.length; from += batchSize) {
    await ctx.db.query(
      sql`UPDATE idempotency_keys SET answer = NULL
          WHERE account_id = ${ctx.viewer.accountId} AND answer IS NOT NULL
            AND tells_of && ${all.slice(from, from + batchSize)}::text[]`,
    );
  }
}
