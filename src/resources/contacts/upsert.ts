import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { empty, type Sql, sql } from '../../db/sql.ts';
import type { Faults } from '../../errors.ts';
import { changeRecord } from '../kernel/change.ts';
import type { Input } from '../kernel/input.ts';
import type { Stored } from '../kernel/stored.ts';
import { type ContactSent, contacts, readContact } from './record.ts';
import { findContacts, insertContact, isTaken, type KnownContact } from './write.ts';

/**
 * Updates the contact with this e-mail, else the one with this phone; creates one when there is
 * neither. Of two simultaneous calls one creates and the other updates.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, or for the phone when e-mail and phone
 *   belong to two contacts, because the e-mail decides
 */
export async function upsertContact(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<{ contact: Stored; created: boolean }> {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = faultsOf(ctx);
  const sent = readContact(ctx.viewer, input, faults);
  const refuse = async () => {
    // Of one of them alone no two contacts can have a part each.
    if (sent.email && sent.phone) matchContact(await findContacts(ctx, sent), sent, faults);
    faults.throwIfAny();
  };
  if (faults.any) await refuse();
  const which = matching(ctx, sent);
  return retrying(async () => {
    try {
      const changed = which && (await changeRecord(ctx, contacts, which, sent, selection));
      if (changed) return { contact: changed, created: false };
      return { contact: await insertContact(ctx, sent, selection), created: true };
    } catch (error) {
      if (!isTaken(error)) throw error;
      await refuse();
      // The contact that holds it was written a moment ago: another attempt will find it.
      throw conflict();
    }
  });
}

/** A condition that the contact meets which matches; undefined when e-mail and phone are both blank. */
function matching({ viewer }: UnitOfWork, { email, phone }: ContactSent): Sql | undefined {
  if (!email && !phone) return undefined;
  const byEmail = sql`NULLIF(email, '') = ${email}`;
  const byPhone = sql`NULLIF(phone, '') = ${phone}`;
  const either = email && phone ? sql`(${byEmail} OR ${byPhone})` : email ? byEmail : byPhone;
  const first = email && phone ? sql`ORDER BY (${byEmail}) IS TRUE DESC LIMIT 1` : empty;
  return sql`id = (SELECT id FROM contacts WHERE account_id = ${viewer.accountId} AND ${either} ${first})
    AND ${either}`;
}

/** The contact with this e-mail, else with this phone; reports a phone that another one has. */
export function matchContact(
  found: readonly KnownContact[],
  { email, phone }: ContactSent,
  faults: Faults,
  prefix = '',
): KnownContact | undefined {
  const byEmail = email ? found.find((contact) => contact.email === email) : undefined;
  const byPhone = phone ? found.find((contact) => contact.phone === phone) : undefined;
  if (byEmail && byPhone && byEmail.id !== byPhone.id) {
    faults.addTaken(`${prefix}phone`, { contact_id: byPhone.id });
  }
  return byEmail ?? byPhone;
}
