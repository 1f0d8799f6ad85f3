import { authorize } from '../../auth/policy.ts';
import type { Context, UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { empty, type Sql, sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { changeRecord } from '../kernel/change.ts';
import type { Input } from '../kernel/fields.ts';
import type { Stored } from '../kernel/record.ts';
import { type ContactSent, contacts, readContact } from './record.ts';
import { findContacts, insertContact, isTaken, type KnownContact } from './write.ts';

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
  const sent = readContact(ctx.viewer, input, faults);
  const refuse = async () => {
    matchContact(await findContacts(ctx, sent), sent, faults);
    faults.throwIfAny();
  };
  if (faults.any) await refuse();
  const id = matching(ctx, sent);
  return retrying(async () => {
    try {
      const changed = id && (await changeRecord(ctx, contacts, id, sent, selection));
      if (changed) return { contact: changed, created: false };
      return { contact: await insertContact(ctx, sent, selection), created: true };
    } catch (error) {
      if (!isTaken(error)) throw error;
      await refuse();
      // Its holder came, or was changed, a moment ago, and can be found now.
      throw conflict();
    }
  });
}

/** The id of the contact that e-mail, then phone, point at; undefined when both are blank. */
function matching({ viewer }: UnitOfWork, { email, phone }: ContactSent): Sql | undefined {
  if (!email && !phone) return undefined;
  const byEmail = sql`NULLIF(email, '') = ${email}`;
  const byPhone = sql`NULLIF(phone, '') = ${phone}`;
  const either = email && phone ? sql`(${byEmail} OR ${byPhone})` : email ? byEmail : byPhone;
  const first = email && phone ? sql`ORDER BY (${byEmail}) IS TRUE DESC LIMIT 1` : empty;
  return sql`(SELECT id FROM contacts WHERE account_id = ${viewer.accountId} AND ${either} ${first})`;
}

/** The contact that e-mail, then phone, point at; reports a phone that is another's. */
export function matchContact(
  found: readonly KnownContact[],
  { email, phone }: ContactSent,
  faults: Faults,
  prefix = '',
): KnownContact | undefined {
  const byEmail = email ? found.find((contact) => contact.email === email) : undefined;
  const byPhone = phone ? found.find((contact) => contact.phone === phone) : undefined;
  if (byEmail && byPhone && byEmail.id !== byPhone.id) {
    faults.add(`${prefix}phone`, 'has already been taken');
  }
  return byEmail ?? byPhone;
}
