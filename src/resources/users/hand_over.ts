/** Handing a leaving user's deals, assignments and webhooks to somebody else, or to nobody. */
import type { UnitOfWork } from '../../context/context.ts';
import { noId, raw, sql } from '../../db/sql/sql.ts';
import { auditEntries, entriesOf, removed } from '../audit/entry.ts';
import { deal_assignees } from '../deal_assignees/record.ts';
import { clock } from '../kernel/write/moment.ts';

/** Rows changed by one statement, so that none takes long. */
const batch = 1000;

const ways = {
  /** One batch, skipping rows that others have locked. */
  some: raw(`LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED`),
  /** All of them, waiting for rows that others have locked. */
  all: raw('FOR NO KEY UPDATE'),
} as const;

/**
 * Hands over the deals that a user created, the user's assignments, and the webhooks that the user answers
 * for. Where the new user is already assigned to a deal, the old assignment ends. All of it goes to the
 * audit trail.
 * @param to the user who gets them; null: deals and webhooks are left without a user, assignments end
 * @param way `some`: one batch of deals and assignments; `all`: every one
 * @returns whether there were any deals or assignments
 * @throws {DatabaseError} unique, when `to` was assigned to one of the deals meanwhile: worth a retry
 */
export async function handOver(
  ctx: UnitOfWork,
  from: number,
  to: number | null,
  way: keyof typeof ways,
): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const moved = (column: string) => ({ before: { [column]: from }, after: { [column]: to } });
  const [found] = await ctx.db.query<{ any: boolean }>(
    sql`WITH deals_found AS (
        SELECT id FROM deals WHERE account_id = ${accountId} AND created_by_id = ${from} ${ways[way]}
      ), found AS (
        SELECT id, deal_id FROM deal_assignees WHERE account_id = ${accountId} AND user_id = ${from} ${ways[way]}
      ), movable AS (
        SELECT id FROM found WHERE ${to !== null}::boolean AND NOT EXISTS (
          SELECT FROM deal_assignees AS other WHERE other.account_id = ${accountId}
            AND other.deal_id = found.deal_id AND other.user_id = ${to ?? noId})
      ), released AS (
        UPDATE deals SET created_by_id = ${to}, updated_at = ${clock}
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM deals_found)) RETURNING id, updated_at
      ), moved AS (
        UPDATE deal_assignees SET user_id = ${to ?? noId}, updated_at = ${clock}
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM movable)) RETURNING id, updated_at
      ), dropped AS (
        DELETE FROM deal_assignees WHERE account_id = ${accountId}
          AND id = ANY(ARRAY(SELECT id FROM found EXCEPT SELECT id FROM movable)) RETURNING *
      ), kept AS (
        UPDATE webhooks SET user_id = ${to}, updated_at = ${clock}
        WHERE account_id = ${accountId} AND user_id = ${from} RETURNING id, updated_at
      ), audit AS (${auditEntries(
        ctx,
        entriesOf('deal.update', 'released', moved('created_by_id')),
        entriesOf('deal_assignee.update', 'moved', moved('user_id')),
        removed(deal_assignees, 'dropped'),
        entriesOf('webhook.update', 'kept', moved('user_id')),
      )})
      SELECT EXISTS (SELECT FROM deals_found) OR EXISTS (SELECT FROM found) AS any`,
  );
  return found?.any === true;
}
