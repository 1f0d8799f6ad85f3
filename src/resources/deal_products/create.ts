import { authorize } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import type { Rows } from '../../db/sql/select.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { notFound } from '../../errors/errors.ts';
import { type Author, auditEntries, creationOf } from '../audit/entry.ts';
import { events } from '../events/record.ts';
import { readNew } from '../kernel/fields/input.ts';
import { writeRecord } from '../kernel/read/record.ts';
import { withDefaults } from '../kernel/resource.ts';
import { formOf } from '../kernel/write/form.ts';
import { insertion } from '../kernel/write/insert.ts';
import { type Create, refusing } from '../kernel/write/write.ts';
import { deal_products, totalTooLarge } from './record.ts';
import { addToTotal, happening, totalChanged } from './total.ts';

/**
 * Attaches a product to a deal, with the name, identifier and price that it has now unless others
 * are sent.
 * @throws {Fault} VALIDATION_FAILED for a missing id, an invalid quantity or amount, a total beyond
 *   2^53-1; NOT_FOUND when the account has no such product or deal
 */
export const createDealProduct: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'deal_product.create');
  const faults = faultsOf(ctx);
  const { product_id, deal_id, ...fields } = readNew(input, deal_products.fields, faults);
  const areNamed = product_id !== undefined && deal_id !== undefined;
  if (faults.any && areNamed && !(await exist(ctx, product_id, deal_id))) throw notFound();
  faults.throwIfAny();
  if (!areNamed) throw notFound();
  const form = creation(ctx, withDefaults(deal_products, { product_id, deal_id, ...fields }));
  const write = () => writeRecord(ctx, 'deal_products', selection, form, 'subquery', changed);
  const written = await retryConflicts(write, isBroken('foreign_key')).catch(
    refusing('check', ...totalTooLarge),
  );
  if (!written) throw notFound();
  return written;
};

/** What becomes of the deal: its total, and its history. */
const ofDeal = ({ viewer }: Author): Sql =>
  sql`total AS (${addToTotal(viewer.accountId, raw('(SELECT deal_id AS id, total_amount_in_cents AS amount FROM written)'))}
    )${happening(viewer, 'deal_product_added', 'written', raw('written.updated_at'))}`;

const entries = [creationOf(deal_products, 'written'), totalChanged, creationOf(events, 'event')];

const insert = insertion(
  deal_products,
  {
    product_id: 'source.product_id',
    deal_id: 'source.id',
    unit_amount_in_cents: 'source.unit',
    product_name: 'source.product_name',
    product_identifier: 'source.product_identifier',
    // The result may exceed a bigint: it is capped at a value that the CHECK on the total refuses.
    total_amount_in_cents:
      'least(source.unit::numeric * source.quantity, 9223372036854775807)::bigint',
  },
  'source',
);

const creation = formOf('deal_products create', deal_products.written, (author, values) => {
  const { accountId } = author.viewer;
  return sql`source AS (
      SELECT p.id AS product_id, coalesce(${values.product_name}, p.name) AS product_name,
        coalesce(${values.product_identifier}, p.identifier) AS product_identifier,
        coalesce(${values.unit_amount_in_cents}::bigint, p.amount_in_cents) AS unit,
        ${values.quantity}::bigint AS quantity, d.id
      FROM products AS p, deals AS d
      WHERE p.account_id = ${accountId} AND p.id = ${values.product_id}
        AND d.account_id = ${accountId} AND d.id = ${values.deal_id}
      FOR NO KEY UPDATE OF d
    ), written AS (${insert(author, values)}
    ), ${ofDeal(author)}, audit AS (${auditEntries(author, ...entries)})`;
});

/** Attaching changes the deal, but no product. */
const changed: Rows = { deals: 'total', products: 'products' };

async function exist(ctx: UnitOfWork, productId: number, dealId: number): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const rows = await ctx.db.query(
    sql`SELECT FROM products AS p, deals AS d WHERE p.account_id = ${accountId} AND p.id = ${productId}
        AND d.account_id = ${accountId} AND d.id = ${dealId}`,
  );
  return rows.length > 0;
}
