import { authorize, readId } from '../../auth/policy.ts';
import { isBroken } from '../../db/errors.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { eventEntry } from '../events/entry.ts';
import { events } from '../events/record.ts';
import { refuseRemoval } from '../kernel/read/record.ts';
import { clockWhere } from '../kernel/write/moment.ts';
import { removal } from '../kernel/write/removal.ts';
import { andExpected } from '../kernel/write/version.ts';
import type { Remove } from '../kernel/write/write.ts';
import { deal_products } from './record.ts';
import { addToTotal, attachment, lockDeal, totalChanged } from './total.ts';

/**
 * Takes a product off a deal, and what it cost off the deal's total.
 * @throws {Fault} NOT_FOUND
 */
export const deleteDealProduct: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'deal_product.delete');
  const dealProductId = readId(id);
  const attached = sql`(SELECT ${attachment('gone', 'happened')} FROM gone)`;
  const dealId = sql`(SELECT deal_id FROM deal_products
    WHERE account_id = ${accountId} AND id = ${dealProductId})`;
  const which = sql`id = ${dealProductId} AND deal_id = ANY(ARRAY(SELECT id FROM deal)) ${andExpected(ctx, deal_products)}`;
  const { steps, entries } = removal(ctx, 'deal_products', which);
  const remove = async () => {
    const [gone] = await ctx.db.query<{ id: number }>(
      sql`WITH ${lockDeal(accountId, dealId)}, ${steps}, total AS (${addToTotal(accountId, sql`(SELECT deal_id AS id, -total_amount_in_cents AS amount FROM gone)`)}),
        happened AS MATERIALIZED (SELECT *, ${clockWhere(raw('added = 0'), raw('updated_at'))} AS at FROM total),
        event AS (${eventEntry(ctx.viewer, 'deal_product_removed', 'happened', attached, raw('happened.at'))}),
        audit AS (${auditEntries(ctx, ...entries, totalChanged, creationOf(events, 'event'))})
        SELECT id FROM gone`,
    );
    return gone ? { id: gone.id } : refuseRemoval(ctx, 'deal_products', dealProductId);
  };
  // A concurrent change of this deal product may have raised the total after this statement began,
  // and PostgreSQL first checks the result against the old total. Another attempt sees the new one.
  return retryConflicts(remove, isBroken('check'));
};
