import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { isOn, type Page } from './pages.ts';
import { isSubject, type Subject } from './records.ts';

/**
 * Erases what receivers answered to those of the deliveries on a page that are about the erasure's records,
 * since many answer with what they were sent. What is sent is stored nowhere but in the trail.
 */
export async function eraseReceiversAnswers(
  ctx: UnitOfWork,
  subject: Subject,
  page: Page,
): Promise<void> {
  await ctx.db.query(
    sql`UPDATE webhook_deliveries AS delivery SET response_body = NULL
        WHERE delivery.account_id = ${ctx.viewer.accountId} AND ${isOn(page, 'delivery')} AND delivery.response_body IS NOT NULL
          AND ${isSubject(ctx, subject, raw('delivery.record_type'), raw('delivery.record_id'))}`,
    adhoc,
  );
}
