import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken, retrying } from '../../db/errors.ts';
import type { Rows } from '../../db/select.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { eventEntry } from '../events/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { type Stored, type Working, writeRecord } from '../record.ts';
import { attachFields, type DealProductSent, reportTotal } from './fields.ts';
import { totalled } from './total.ts';

/**
 * Attaches a product to a deal with its name, identifier and price of this moment, unless others
 * are sent.
 * @throws {Fault} VALIDATION_FAILED for a missing id, an invalid quantity or amount, a total beyond
 *   2^53-1; NOT_FOUND when the account has no such product or deal
 */
export async function createDealProduct(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'deal_product.create');
  const faults = new Faults();
  const { product_id, deal_id, ...sent } = readFields(input, attachFields, faults);
  if (product_id === undefined && !faults.has('product_id')) faults.add('product_id', 'must exist');
  if (deal_id === undefined && !faults.has('deal_id')) faults.add('deal_id', 'must exist');
  if (product_id !== undefined && deal_id !== undefined) {
    if (faults.any && !(await exist(ctx, product_id, deal_id))) throw notFound();
    faults.throwIfAny();
    return attach(ctx, product_id, deal_id, sent, selection);
  }
  faults.throwIfAny();
  throw notFound();
}

/** Attaching changes the deal, and nothing of a product. */
const left: Rows = { deals: 'total', products: 'products' };

async function exist(ctx: Working, productId: number, dealId: number): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const rows = await ctx.db.query(
    sql`SELECT FROM products AS p, deals AS d WHERE p.account_id = ${accountId} AND p.id = ${productId}
        AND d.account_id = ${accountId} AND d.id = ${dealId}`,
    { named: true },
  );
  return rows.length > 0;
}

async function attach(
  ctx: Context,
  productId: number,
  dealId: number,
  sent: DealProductSent,
  selection: Selection,
): Promise<Stored> {
  const { accountId } = ctx.viewer;
  const quantity = sent.quantity ?? 1;
  const now = ctx.now.toISOString();
  const after = { product_id: productId, deal_id: dealId, ...sent, quantity };
  // The product of two numbers may be more than a bigint holds: it is cut to what the CHECK on
  // the total refuses.
  const steps = sql`source AS (
      SELECT p.name, p.identifier, coalesce(${sent.unit_amount_in_cents ?? null}::bigint, p.amount_in_cents) AS unit,
        d.id, d.contact_id, d.name AS deal_name
      FROM products AS p, deals AS d
      WHERE p.account_id = ${accountId} AND p.id = ${productId} AND d.account_id = ${accountId} AND d.id = ${dealId}
    ), written AS (
      INSERT INTO deal_products (account_id, product_id, deal_id, quantity, unit_amount_in_cents, total_amount_in_cents,
        product_name, product_identifier, created_at, updated_at)
      SELECT ${accountId}::bigint, ${productId}::bigint, source.id, ${quantity}::bigint, source.unit,
        least(source.unit::numeric * ${quantity}::bigint, 9223372036854775807)::bigint,
        coalesce(${sent.product_name ?? null}, source.name),
        coalesce(${sent.product_identifier ?? null}, source.identifier),
        ${now}::timestamptz, ${now}::timestamptz
      FROM source RETURNING *
    ), total AS (${totalled(ctx, sql`(SELECT deal_id AS id, total_amount_in_cents AS amount FROM written)`)}),
    event AS (${eventEntry(
      ctx,
      'deal_product_added',
      'source',
      sql`(SELECT json_build_object('product_id', product_id, 'product_name', product_name,
        'deal_id', deal_id, 'deal_name', source.deal_name) FROM written)`,
    )}), audit AS (${auditEntry(ctx, 'deal_product.create', 'written', { before: null, after })})`;
  const faults = new Faults();
  const record = await retrying(
    () => writeRecord(ctx, 'deal_products', selection, steps, left),
    isBroken('foreign_key'),
  ).catch((error: unknown) => {
    if (isBroken('check')(error)) reportTotal(faults);
    faults.throwIfAny();
    throw error;
  });
  if (!record) throw notFound();
  return record;
}
