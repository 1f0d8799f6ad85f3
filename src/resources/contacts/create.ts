import { authorize } from '../../auth/policy.ts';
import { Faults } from '../../errors.ts';
import type { Create } from '../kernel/write.ts';
import { readContact } from './record.ts';
import { insertContact, refusingTaken, reportTaken } from './write.ts';

/**
 * Creates a contact; every field is optional.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, an e-mail or phone that is taken
 */
export const createContact: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = new Faults();
  const sent = readContact(ctx.viewer, input, faults);
  if (faults.any) await reportTaken(ctx, sent, faults);
  faults.throwIfAny();
  return refusingTaken(ctx, sent, () => insertContact(ctx, sent, selection));
};
