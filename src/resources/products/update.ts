import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { Faults } from '../../errors.ts';
import { updateRecord } from '../change.ts';
import { type Input, readFields } from '../fields.ts';
import { requireRecord, type Stored } from '../record.ts';
import { productFields } from './fields.ts';

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
  if (faults.any) await requireRecord(ctx, 'products', productId);
  faults.throwIfAny();
  const target = { shape: 'products', action: 'product.update', id: productId } as const;
  return retrying(() => updateRecord(ctx, target, sent, selection));
}
