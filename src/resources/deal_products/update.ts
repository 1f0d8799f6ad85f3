import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { type Faults, notFound } from '../../errors/errors.ts';
import { type ParsedInput, readFields, refuseMoves } from '../kernel/fields/input.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { type Current, overwriting } from '../kernel/write/update_after_read.ts';
import { requireExpected, versionOf } from '../kernel/write/version.ts';
import { refusing, type Update } from '../kernel/write/write.ts';
import { deal_products, totalOf, totalTooLarge } from './record.ts';
import { addToTotal, lockDeal, totalChanged } from './total.ts';

const overwrite = overwriting(deal_products);

/**
 * Updates the quantity, unit price or names of an attached product; product and deal stay the same.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, another product or deal, or a
 *   total beyond 2^53-1
 */
export const updateDealProduct: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'deal_product.update');
  const dealProductId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readFields(input, deal_products.fields, faults);
  return retryConflicts(async () => {
    const before = await currentDealProduct(ctx, dealProductId);
    if (!before) throw notFound();
    requireExpected(ctx, before.version);
    return changeDealProduct(ctx, before, fields, faults, selection);
  });
};

export interface CurrentDealProduct extends Current<typeof deal_products.fields> {
  readonly unit_amount_in_cents: number;
  readonly product_name: string;
  readonly product_identifier: string;
  readonly total_amount_in_cents: number;
  /** The product's own values, which null asks for. */
  readonly amount_in_cents: number;
  readonly name: string;
  readonly identifier: string;
}

async function currentDealProduct(
  ctx: UnitOfWork,
  id: number,
): Promise<CurrentDealProduct | undefined> {
  const current = currentDealProducts(ctx.viewer.accountId);
  const [row] = await ctx.db.query<CurrentDealProduct>(sql`${current} AND dp.id = ${id}`);
  return row;
}

/** A query of deal products as {@link CurrentDealProduct} has them, which a condition is to follow. */
export const currentDealProducts = (accountId: number): Sql =>
  sql`SELECT dp.id, dp.product_id, dp.deal_id, dp.quantity, dp.unit_amount_in_cents, dp.total_amount_in_cents, dp.product_name,
          dp.product_identifier, ${versionOf(deal_products, 'dp')} AS version, p.amount_in_cents, p.name, p.identifier
        FROM deal_products AS dp
        JOIN products AS p ON p.account_id = ${accountId} AND p.id = dp.product_id
        WHERE dp.account_id = ${accountId}`;

/**
 * What becomes of a deal product.
 * @param faults receives what cannot be; the plan is void then
 */
export function planLineChange(
  before: CurrentDealProduct,
  fields: ParsedInput<typeof deal_products.fields>,
  faults: Faults,
) {
  const { product_id, deal_id } = before;
  refuseMoves(fields, { product_id, deal_id }, faults);
  const own = {
    unit_amount_in_cents: before.amount_in_cents,
    product_name: before.name,
    product_identifier: before.identifier,
  };
  const values = {
    ...before,
    quantity: fields.quantity ?? before.quantity,
    unit_amount_in_cents: chosen(fields, before, own, 'unit_amount_in_cents'),
    product_name: chosen(fields, before, own, 'product_name'),
    product_identifier: chosen(fields, before, own, 'product_identifier'),
  };
  const total = totalOf(values.quantity, values.unit_amount_in_cents, faults);
  const after = { ...values, total_amount_in_cents: total };
  return { after, difference: total - before.total_amount_in_cents };
}

async function changeDealProduct(
  ctx: UnitOfWork,
  before: CurrentDealProduct,
  fields: ParsedInput<typeof deal_products.fields>,
  faults: Faults,
  selection: Selection,
): Promise<RecordResult> {
  const { after, difference } = planLineChange(before, fields, faults);
  faults.throwIfAny();
  const { accountId } = ctx.viewer;
  const extras = {
    // Counting asks for the lock, whether there still is a deal or not.
    at: raw('(SELECT moment() FROM (SELECT count(*) FROM deal) AS locked)'),
    first: sql`${lockDeal(accountId, sql`${before.deal_id}`)},`,
    set: sql`total_amount_in_cents = ${after.total_amount_in_cents}::bigint,`,
    also: sql`, total AS (${addToTotal(accountId, sql`(SELECT deal_id AS id, ${difference}::bigint AS amount FROM written)`)})`,
    later: [totalChanged],
  };
  const written = overwrite(ctx, before, after, selection, extras);
  return written.catch(refusing('check', ...totalTooLarge));
}

/** The value sent; the product's own when null was sent; otherwise the present one. */
function chosen<K extends keyof Own, Own extends Readonly<Record<K, unknown>>>(
  fields: { readonly [P in K]?: Own[P] | null },
  before: { readonly [P in K]: Own[P] },
  own: Own,
  field: K,
): Own[K] {
  const value = fields[field];
  if (value === undefined) return before[field];
  return value ?? own[field];
}
