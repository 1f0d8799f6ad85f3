import { type AccountId, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { type Author, entriesOf } from '../audit/entry.ts';
import { eventEntry, type OwnKind } from '../events/entry.ts';
import { clockWhere } from '../kernel/write/moment.ts';

/**
 * The UPDATE that adds to a deal's total. It adds to what the row holds once it is locked, so the
 * total stays exact under concurrent writes. A deal whose total stays the same is not changed.
 * @param change a query of the deal's `id` and the `amount` in cents to add
 * @param when SQL of whether the deal is changed
 * @returns SQL that returns the deal's row, with what was `added`
 */
export const addToTotal = (
  account: AccountId,
  change: Sql,
  when: Sql = raw('change.amount <> 0'),
): Sql =>
  sql`UPDATE deals SET
      total_deal_products_amount_in_cents = total_deal_products_amount_in_cents + change.amount,
      updated_at = ${clockWhere(when, raw('updated_at'))}
    FROM ${change} AS change
    WHERE deals.account_id = ${account} AND deals.id = change.id
    RETURNING deals.*, deals.xmin, change.amount AS added`;

/**
 * A WITH query, named `deal`, that locks a deal. It must run before a deal product is locked,
 * because removing a deal locks it before its products.
 */
export const lockDeal = (account: AccountId, id: Sql): Sql =>
  sql`deal AS (
      SELECT id FROM deals WHERE account_id = ${account} AND id = ${id} FOR NO KEY UPDATE
    )`;

/**
 * What events say about a product that is attached to a deal or removed, as an expression of type json.
 * @param attached the WITH query of the deal product
 * @param deal that of its deal
 */
export const attachment = (attached: string, deal: string): Sql =>
  raw(`json_build_object('product_id', ${attached}.product_id, 'product_name', ${attached}.product_name,
    'deal_id', ${attached}.deal_id, 'deal_name', ${deal}.name)`);

/**
 * WITH queries of the events of rows with a `deal_id` and what a deal product's event tells.
 * @param rows their name; those of their deals are called `total`
 * @param at when it happened
 */
export const happening = (viewer: Author['viewer'], kind: OwnKind, rows: string, at: Sql): Sql =>
  sql`, happened AS (
      SELECT total.id, total.contact_id, ${attachment(rows, 'total')} AS attributes, ${at} AS at
      FROM ${raw(rows)} JOIN total ON total.id = ${raw(rows)}.deal_id
    ), event AS (${eventEntry(viewer, kind, 'happened', raw('happened.attributes'), raw('happened.at'))})`;

const total = 'total.total_deal_products_amount_in_cents';
/** A deal's total as its entries hold it, from an SQL expression in cents. */
export const totalMember = (value: string): Sql =>
  raw(`json_build_object('total_deal_products_amount_in_cents', ${value})`);

/** The entry of a deal that the WITH query `total` changed so. */
export const totalChanged = entriesOf(
  'deal.update',
  'total',
  { before: totalMember(`${total} - total.added`), after: totalMember(total) },
  { where: raw('total.added <> 0') },
);
