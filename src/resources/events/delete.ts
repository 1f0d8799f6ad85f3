import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';

/**
 * Removes an event; one that the service wrote lives on in the audit trail.
 * @throws {Fault} NOT_FOUND
 */
export async function deleteEvent(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ id: number }> {
  const accountId = authorize(ctx.viewer, account, 'event.delete');
  const before = sql`json_build_object('kind', gone.kind, 'contact_id', gone.contact_id,
    'deal_id', gone.deal_id, 'title', gone.title, 'content', gone.content, 'scheduled_at', gone.scheduled_at,
    'done_at', gone.done_at, 'auto_done', gone.auto_done, 'custom_attributes', gone.custom_attributes,
    'additional_attributes', gone.additional_attributes)`;
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH gone AS (
        DELETE FROM events WHERE account_id = ${accountId} AND id = ${readId(id)} RETURNING *
      ), audit AS (${auditEntry(ctx, 'event.delete', 'gone', { before, after: null })})
      SELECT id FROM gone`,
    { named: true },
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
