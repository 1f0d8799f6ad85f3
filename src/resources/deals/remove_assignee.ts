import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';

/**
 * Takes a user off a deal, by the id of the assignment.
 * @throws {Fault} NOT_FOUND
 */
export async function removeAssignee(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ id: number }> {
  const accountId = authorize(ctx.viewer, account, 'deal_assignee.delete');
  const before = sql`json_build_object('deal_id', gone.deal_id, 'user_id', gone.user_id)`;
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH gone AS (
        DELETE FROM deal_assignees WHERE account_id = ${accountId} AND id = ${readId(id)} RETURNING *
      ), audit AS (${auditEntry(ctx, 'deal_assignee.delete', 'gone', { before, after: null })})
      SELECT id FROM gone`,
    { named: true },
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
