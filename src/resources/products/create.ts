import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { type Stored, writeRecord } from '../record.ts';
import { blankProduct, productFields } from './fields.ts';

/**
 * Adds a product to the catalogue; every field is optional.
 * @throws {Fault} VALIDATION_FAILED
 */
export async function createProduct(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  const accountId = authorize(ctx.viewer, account, 'product.create');
  const faults = new Faults();
  const product = { ...blankProduct, ...readFields(input, productFields, faults) };
  faults.throwIfAny();
  const now = ctx.now.toISOString();
  const written = await writeRecord(
    ctx,
    'products',
    selection,
    sql`written AS (
      INSERT INTO products (account_id, identifier, name, description, amount_in_cents, quantity_available,
        custom_attributes, created_at, updated_at)
      VALUES (${accountId}, ${product.identifier}, ${product.name}, ${product.description}, ${product.amount_in_cents},
        ${product.quantity_available}, ${product.custom_attributes}::json, ${now}::timestamptz, ${now}::timestamptz)
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'product.create', 'written', { before: null, after: product })})`,
  );
  if (!written) throw new Error('the inserted product was not returned');
  return written;
}
