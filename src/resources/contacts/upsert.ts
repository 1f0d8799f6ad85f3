import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { conflict } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { empty, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import type { Faults } from '../../errors/errors.ts';
import type { Input } from '../kernel/fields/input.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { changeRecord, updateRecord } from '../kernel/write/update_in_place.ts';
import { aliased, aliasesOf, findAliases } from './aliases.ts';
import {
  hasEmail,
  type Identity,
  identityIn,
  isAlike,
  type KnownContact,
  phonesOf,
} from './identity.ts';
import { type ContactFields, contacts, readContact } from './record.ts';
import { findContacts, insertContact, insertContactUnless, isTaken } from './write.ts';

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
): Promise<{ contact: RecordResult; created: boolean }> {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = faultsOf(ctx);
  const fields = readContact(ctx.viewer, input, faults);
  const identity = identityIn(ctx.viewer, input, fields);
  const match = async () => {
    const known = matchContact(await findContacts(ctx, identity), identity, faults);
    faults.throwIfAny();
    return known;
  };
  // Of one of them alone no two contacts can have a part each.
  if (faults.any && identity.email && identity.phone) await match();
  faults.throwIfAny();
  // What former rules stored is seen before it is written over.
  const known = identity.formerPhones.length > 0 ? await match() : undefined;
  const changes = known ? betterOf(fields, known) : fields;
  const which = known ? sql`id = ${known.id}` : matching(ctx, identity);
  return retryConflicts(async () => {
    try {
      const changed = which && (await changeRecord(ctx, contacts, which, changes, selection));
      if (changed) return { contact: changed, created: false };
      const known = aliasesOf(ctx, identity);
      const inserted = known
        ? await insertContactUnless(ctx, known, fields, selection)
        : await insertContact(ctx, fields, selection);
      if (inserted) return { contact: inserted, created: true };
      const alias = aliased(await findAliases(ctx, [identity]), identity);
      if (!alias) throw conflict();
      // The contact that is left keeps its own.
      const { email: _, phone: __, ...others } = fields;
      const contact = await updateRecord(ctx, contacts, alias.id, others, selection);
      return { contact, created: false };
    } catch (error) {
      if (!isTaken(error)) throw error;
      await match();
      // The contact that holds it was written a moment ago: another attempt will find it.
      throw conflict();
    }
  });
}

/**
 * The fields that an upsert changes of a contact that it found by a form of the phone which former
 * rules stored: a phone that is E.164 stays, where what was sent is not.
 */
export function betterOf(fields: ContactFields, known: KnownContact): ContactFields {
  const isBetter = known.phone.startsWith('+') && fields.phone && !fields.phone.startsWith('+');
  return isBetter ? { ...fields, phone: known.phone } : fields;
}

/** A condition that the contact meets which matches; undefined when e-mail and phone are both blank. */
function matching({ viewer }: UnitOfWork, identity: Identity): Sql | undefined {
  const alike = isAlike(identity);
  if (!alike) return undefined;
  const { email, phone } = identity;
  const first = email && phone ? sql`ORDER BY (${hasEmail(email)}) IS TRUE DESC LIMIT 1` : empty;
  return sql`id = (SELECT id FROM contacts WHERE account_id = ${viewer.accountId} AND ${alike} ${first})
    AND ${alike}`;
}

/** The contact with this e-mail, else with this phone; reports a phone that another one has. */
export function matchContact(
  holders: readonly KnownContact[],
  identity: Identity,
  faults: Faults,
  prefix = '',
): KnownContact | undefined {
  const { email } = identity;
  const byEmail = email ? holders.find((contact) => contact.email === email) : undefined;
  const [byPhone] = phonesOf(identity).flatMap(
    (phone) => holders.find((contact) => contact.phone === phone) ?? [],
  );
  if (byEmail && byPhone && byEmail.id !== byPhone.id) {
    faults.addTaken(`${prefix}phone`, { contact_id: byPhone.id });
  }
  return byEmail ?? byPhone;
}
