import { authorize, readId } from '../../auth/policy.ts';
import { Faults } from '../../errors.ts';
import { updateRecord } from '../kernel/change.ts';
import { requireRecord } from '../kernel/record.ts';
import type { Update } from '../kernel/write.ts';
import { readContact } from './record.ts';
import { refusingTaken, reportTaken } from './write.ts';

/**
 * Changes the fields sent of a contact.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, an e-mail or phone that
 *   another contact has
 */
export const updateContact: Update = async (ctx, account, id, input, selection) => {
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
  const write = () => updateRecord(ctx, target, sent, selection);
  return refusingTaken(ctx, sent, write, contactId);
};
