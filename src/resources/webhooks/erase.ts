import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import type { Erased } from '../audit/erasure.ts';
import { clock } from '../kernel/moment.ts';

/** How many records one statement looks for. */
const batchSize = 5000;

/**
 * Erases what receivers answered to deliveries about these records, since many answer with what
 * they were sent. What is sent is stored nowhere but in the trail. Older versions also recorded the
 * deliveries of a removed webhook in the trail, answers included: those entries do not say whom
 * they are about, so all are emptied.
 */
export async function eraseReceiversAnswers(ctx: UnitOfWork, erased: Erased): Promise<void> {
  const { db, viewer } = ctx;
  await db.query(
    sql`UPDATE audit_entries SET before = NULL, erased_at = ${clock}
        WHERE account_id = ${viewer.accountId} AND record_type = 'webhook_delivery'
          AND action = 'webhook_delivery.delete' AND before IS NOT NULL`,
  );
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
