import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { Faults } from '../../errors.ts';
import { updateRecord } from '../kernel/change.ts';
import type { Input } from '../kernel/fields.ts';
import { requireRecord, type Stored } from '../kernel/record.ts';
import { readContact } from './record.ts';
import { isTaken, reportTaken } from './write.ts';

/**
 * Changes the fields sent of a contact.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, an e-mail or phone that
 *   another contact has
 */
export async function updateContact(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'contact.update');
  const contactId = readId(id);
  const faults = new Faults();
  const sent = readContact(ctx.viewer, input, faults);
  if (faults.any) {
    await requireRecord(ctx, 'contacts', contactId);
    await reportTaken(ctx, sent, faults, contactId);
  }
  faults.throwIfAny();
  const target = { shape: 'contacts', action: 'contact.update', id: contactId } as const;
  return retrying(async () => {
    try {
      return await updateRecord(ctx, target, sent, selection);
    } catch (error) {
      if (isTaken(error)) {
        await reportTaken(ctx, sent, faults, contactId);
        faults.throwIfAny();
      }
      throw error;
    }
  }, isTaken);
}
