import type { UnitOfWork } from '../../context.ts';
import { type Sql, sql } from '../../db/sql.ts';

/**
 * The UPDATE that adds to a deal's total. It adds to what the row holds once it is locked, so the
 * total stays exact under concurrent writes.
 * @param change a query of the deal's `id` and the `amount` in cents to add
 * @returns SQL that returns the deal's row
 */
export const addToTotal = (ctx: UnitOfWork, change: Sql): Sql =>
  sql`UPDATE deals SET
      total_deal_products_amount_in_cents = total_deal_products_amount_in_cents + change.amount,
      updated_at = moment()
    FROM ${change} AS change
    WHERE deals.account_id = ${ctx.viewer.accountId} AND deals.id = change.id
    RETURNING deals.*`;
