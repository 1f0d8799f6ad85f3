import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken } from '../../db/errors.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';

/**
 * Removes a product from the catalogue.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED while it is attached to a deal
 */
export async function deleteProduct(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ id: number }> {
  const accountId = authorize(ctx.viewer, account, 'product.delete');
  const before = sql`json_build_object('identifier', gone.identifier, 'name', gone.name,
    'description', gone.description, 'amount_in_cents', gone.amount_in_cents,
    'quantity_available', gone.quantity_available, 'custom_attributes', gone.custom_attributes)`;
  const [gone] = await ctx.db
    .query<{ id: number }>(
      sql`WITH gone AS (
          DELETE FROM products WHERE account_id = ${accountId} AND id = ${readId(id)} RETURNING *
        ), audit AS (${auditEntry(ctx, 'product.delete', 'gone', { before, after: null })})
        SELECT id FROM gone`,
      { named: true },
    )
    .catch((error: unknown) => {
      const faults = new Faults();
      if (isBroken('foreign_key')(error)) faults.add('deal_products', 'still refer to it');
      faults.throwIfAny();
      throw error;
    });
  if (!gone) throw notFound();
  return { id: gone.id };
}
