import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { Faults } from '../../errors.ts';
import { changesBetween } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { getRecord, type Stored, type Working } from '../record.ts';
import { type ContactSent, contactFields } from './fields.ts';
import {
  type CurrentContact,
  changeContact,
  findContacts,
  insertContact,
  isTaken,
} from './write.ts';

/**
 * Updates the contact that holds the e-mail, or else the phone, with the fields sent; creates one
 * when none does. Of two calls at the same moment one creates and the other updates.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, or when e-mail and phone belong to two
 *   contacts: on the phone, because the e-mail decides
 */
export async function upsertContact(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<{ contact: Stored; created: boolean }> {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = new Faults();
  const sent = readFields(input, contactFields(ctx.viewer.defaultCountry), faults);
  if (faults.any) matchContact(await findContacts(ctx, sent), sent, faults);
  faults.throwIfAny();
  return retrying(async () => {
    const match = matchContact(await findContacts(ctx, sent), sent, faults);
    faults.throwIfAny();
    if (!match) return { contact: await insertContact(ctx, sent, selection), created: true };
    return { contact: await updateWith(ctx, match, sent, selection), created: false };
  }, isTaken);
}

/** The contact that e-mail, then phone, point at; reports a phone that is another's. */
export function matchContact(
  found: readonly CurrentContact[],
  { email, phone }: Pick<ContactSent, 'email' | 'phone'>,
  faults: Faults,
  prefix = '',
): CurrentContact | undefined {
  const byEmail = email ? found.find((contact) => contact.email === email) : undefined;
  const byPhone = phone ? found.find((contact) => contact.phone === phone) : undefined;
  if (byEmail && byPhone && byEmail.id !== byPhone.id) {
    faults.add(`${prefix}phone`, 'has already been taken');
  }
  return byEmail ?? byPhone;
}

/**
 * Writes the fields sent over a contact; a call that changes nothing writes nothing.
 * @throws {DatabaseError} conflict, when the contact changed since it was read
 */
export async function updateWith(
  ctx: Working,
  before: CurrentContact,
  sent: ContactSent,
  selection: Selection,
): Promise<Stored> {
  const after = { ...before, ...sent };
  const changes = changesBetween(before, after);
  if (!changes) return getRecord(ctx, 'contacts', before.id, selection);
  const written = await changeContact(ctx, before, after, changes, selection);
  if (!written) throw conflict();
  return written;
}
