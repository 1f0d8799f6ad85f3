import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { anyRecord } from '../idempotency/answers.ts';
import { isOn, type Page } from './pages.ts';
import { isSubject, type Subject } from './records.ts';

/** Erases those of the stored answers on a page that show the erasure's records, or may do so. */
export async function eraseAnswers(ctx: UnitOfWork, subject: Subject, page: Page): Promise<void> {
  const isShown = isSubject(
    ctx,
    subject,
    raw("split_part(shown.record, ':', 1)"),
    raw("CASE WHEN shown.record ~ ':[0-9]+$' THEN split_part(shown.record, ':', 2)::bigint END"),
  );
  await ctx.db.query(
    sql`UPDATE idempotency_keys AS answered SET answer = NULL
        WHERE answered.account_id = ${ctx.viewer.accountId} AND ${isOn(page, 'answered')} AND answered.answer IS NOT NULL
          AND (${anyRecord} = ANY(answered.tells_of) OR EXISTS (
            SELECT FROM unnest(answered.tells_of) AS shown (record)
            WHERE ${isShown}))`,
    adhoc,
  );
}
