import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, changesBetween } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { getRecord, type Stored, type Working, writeRecord } from '../record.ts';
import { type ProductSent, type ProductValues, productFields } from './fields.ts';

/**
 * Changes the fields sent of a product; deals that hold it keep what they took over.
 * @throws {Fault} NOT_FOUND, VALIDATION_FAILED
 */
export async function updateProduct(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'product.update');
  const productId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, productFields, faults);
  return retrying(async () => {
    const before = await currentProduct(ctx, productId);
    if (!before) throw notFound();
    faults.throwIfAny();
    return changeProduct(ctx, before, sent, selection);
  });
}

type CurrentProduct = ProductValues & { readonly id: number; readonly version: string };

async function currentProduct(ctx: Working, id: number): Promise<CurrentProduct | undefined> {
  const [row] = await ctx.db.query<CurrentProduct>(
    sql`SELECT id, identifier, name, description, amount_in_cents, quantity_available,
          custom_attributes::text AS custom_attributes, xmin::text AS version
        FROM products WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  return row;
}

async function changeProduct(
  ctx: Working,
  before: CurrentProduct,
  sent: ProductSent,
  selection: Selection,
): Promise<Stored> {
  const after = { ...before, ...sent };
  const changes = changesBetween(before, after);
  if (!changes) return getRecord(ctx, 'products', before.id, selection);
  const written = await writeRecord(
    ctx,
    'products',
    selection,
    sql`written AS (
      UPDATE products SET identifier = ${after.identifier}, name = ${after.name}, description = ${after.description},
        amount_in_cents = ${after.amount_in_cents}, quantity_available = ${after.quantity_available},
        custom_attributes = ${after.custom_attributes}::json, updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${before.id} AND xmin = ${before.version}::xid
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'product.update', 'written', changes)})`,
  );
  if (!written) throw conflict();
  return written;
}
