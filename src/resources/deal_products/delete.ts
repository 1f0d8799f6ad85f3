import { authorize, readId } from '../../auth/policy.ts';
import { isBroken } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { eventEntry } from '../events/entry.ts';
import { type Remove, removalEntry } from '../kernel/write.ts';
import { deal_products } from './record.ts';
import { addToTotal } from './total.ts';

const removed = removalEntry(deal_products);

/**
 * Takes a product off a deal, and what it cost off the deal's total.
 * @throws {Fault} NOT_FOUND
 */
export const deleteDealProduct: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'deal_product.delete');
  const dealProductId = readId(id);
  const told = sql`(SELECT json_build_object('product_id', product_id, 'product_name', product_name,
    'deal_id', deal_id, 'deal_name', total.name) FROM gone)`;
  const remove = () =>
    ctx.db.query<{ id: number }>(
      sql`WITH gone AS (
          DELETE FROM deal_products WHERE account_id = ${accountId} AND id = ${dealProductId} RETURNING *
        ), total AS (${addToTotal(ctx, sql`(SELECT deal_id AS id, -total_amount_in_cents AS amount FROM gone)`)}),
        event AS (${eventEntry(ctx, 'deal_product_removed', 'total', told)}),
        audit AS (${removed(ctx)})
        SELECT id FROM gone`,
      { named: true },
    );
  // A concurrent change of this deal product may have raised the total after this statement began,
  // and PostgreSQL first checks the result against the old total. Another attempt sees the new one.
  const [gone] = await retrying(remove, isBroken('check'));
  if (!gone) throw notFound();
  return { id: gone.id };
};
