import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import type { Erased } from '../audit/erasure.ts';

/** How many records one statement looks for. */
const batchSize = 5000;

/**
 * Forgets what receivers answered when they were told of records: many answer with what they were sent. What is
 * sent is stored nowhere but in the trail.
 */
export async function eraseReceiversAnswers(ctx: UnitOfWork, erased: Erased): Promise<void> {
  const { db, viewer } = ctx;
  for (const [kind, all] of erased) {
    const ids = [...all];
    for (let from = 0; from < ids.length; from += batchSize) {
      // Results of attempts are written meanwhile, in an order of their own.
      await retrying(() =>
        db.query(
          sql`UPDATE webhook_deliveries SET response_body = NULL
              WHERE account_id = ${viewer.accountId} AND response_body IS NOT NULL
                AND record_type = ${kind} AND record_id = ANY(${ids.slice(from, from + batchSize)}::bigint[])`,
        ),
      );
    }
  }
}
