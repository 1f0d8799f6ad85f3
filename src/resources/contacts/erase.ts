import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { Fault } from '../../errors.ts';
import { recordAudit } from '../audit/entry.ts';
import { eraseEntries, findErased, isKnown } from '../audit/erasure.ts';
import { eraseAnswers } from '../idempotency/erase.ts';
import { eraseReceiversAnswers } from '../webhooks/erase.ts';
import { removeContact } from './delete.ts';

/** What an erasure did: the contact's id, and how many entries hold no values any more. */
export interface Erasure {
  readonly id: number;
  readonly entries: number;
}

/**
 * Removes a contact as its deletion does, unless that was done before, and takes the values out of the
 * trail of it and of all deals that it ever had. Fields, their order and who changed them when stay. Stored
 * answers that show any of these are not repeated, and the answers of webhooks' receivers are erased.
 *
 * Once the contact is gone nobody writes about it any more, so its trail can be found and emptied
 * in many short steps. A call that is interrupted can simply be repeated: the last thing it writes
 * is that it was done.
 * @throws {Fault} NOT_FOUND when the account never had this contact
 */
export async function eraseContact(ctx: Context, account: unknown, id: unknown): Promise<Erasure> {
  authorize(ctx.viewer, account, 'contact.erase');
  const contactId = readId(id);
  await removeContact(ctx, contactId).catch(async (error: unknown) => {
    const wasGone = error instanceof Fault && error.code === 'NOT_FOUND';
    if (!wasGone || !(await isKnown(ctx, 'contact', contactId))) throw error;
  });
  const erased = await findErased(ctx, contactId);
  const entries = await eraseEntries(ctx, erased);
  await eraseAnswers(ctx, erased);
  await eraseReceiversAnswers(ctx, erased);
  await recordAudit(ctx, 'contact.erase', contactId, { before: null, after: null });
  return { id: contactId, entries };
}
