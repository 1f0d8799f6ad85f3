import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { Faults } from '../../errors.ts';
import type { Input } from '../kernel/fields.ts';
import type { Stored } from '../kernel/record.ts';
import { readContact } from './record.ts';
import { insertContact, isTaken, reportTaken } from './write.ts';

/**
 * Creates a contact; every field is optional.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, an e-mail or phone that is taken
 */
export async function createContact(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = new Faults();
  const sent = readContact(ctx.viewer, input, faults);
  if (faults.any) await reportTaken(ctx, sent, faults);
  faults.throwIfAny();
  return retrying(async () => {
    try {
      return await insertContact(ctx, sent, selection);
    } catch (error) {
      if (isTaken(error)) {
        await reportTaken(ctx, sent, faults);
        faults.throwIfAny();
      }
      throw error;
    }
  }, isTaken);
}
