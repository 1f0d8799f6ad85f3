/** Creating and updating contacts, no two of which share an e-mail or a phone. */
import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { DatabaseError } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { Faults } from '../../errors/errors.ts';
import { requireRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { withDefaults } from '../kernel/resource.ts';
import { inserting } from '../kernel/write/insert.ts';
import { updateRecord } from '../kernel/write/update_in_place.ts';
import type { Create, Update } from '../kernel/write/write.ts';
import { type Identity, identityOf, isAlike, type KnownContact } from './identity.ts';
import { type ContactFields, contacts, readContact } from './record.ts';

/** Contacts with this e-mail or this phone; blank ones match nothing. */
export async function findContacts(
  ctx: UnitOfWork,
  identity: Identity,
): Promise<readonly KnownContact[]> {
  const alike = isAlike(identity);
  if (!alike) return [];
  return ctx.db.query<KnownContact>(
    sql`SELECT id, email, phone FROM contacts
      WHERE account_id = ${ctx.viewer.accountId} AND ${alike}
      ORDER BY id`,
  );
}

const insert = inserting(contacts);

/** @throws {DatabaseError} unique, when the e-mail or the phone is taken */
export const insertContact = (
  ctx: UnitOfWork,
  fields: ContactFields,
  selection: Selection,
): Promise<RecordResult> => insert(ctx, withDefaults(contacts, fields), selection);

/**
 * The same unless a query has a row: then nothing is written, and nothing returned.
 * @throws {DatabaseError} unique, when the e-mail or the phone is taken
 */
export const insertContactUnless = (
  ctx: UnitOfWork,
  known: Sql,
  fields: ContactFields,
  selection: Selection,
): Promise<RecordResult | undefined> =>
  insert.unless(ctx, withDefaults(contacts, fields), selection, known);

/** Whether an error says that a contact's e-mail or phone is taken. */
export const isTaken = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.kind === 'unique' &&
  (error.constraint === 'contacts_account_id_email_key' ||
    error.constraint === 'contacts_account_id_phone_key');

/** Reports which of e-mail and phone belongs to a contact other than `except`. */
const reportTaken = async (
  ctx: UnitOfWork,
  fields: ContactFields,
  faults: Faults,
  except?: number,
): Promise<void> => {
  const identity = identityOf(fields);
  reportHolders(await findContacts(ctx, identity), identity, faults, except);
};

/** The same of those that {@link findContacts} found. */
export function reportHolders(
  holders: readonly KnownContact[],
  identity: Identity,
  faults: Faults,
  except?: number,
): void {
  const others = holders.filter(({ id }) => id !== except);
  for (const field of ['email', 'phone'] as const) {
    const value = identity[field];
    const holder = value && others.find((other) => other[field] === value);
    if (holder) faults.addTaken(field, { contact_id: holder.id });
  }
}

/**
 * Runs a write, and retries it when it lost a race for an e-mail or a phone.
 * @param except the contact being written, if it exists
 * @throws {Fault} VALIDATION_FAILED naming which of the two belongs to another contact
 */
const refusingTaken = (
  ctx: UnitOfWork,
  fields: ContactFields,
  write: () => Promise<RecordResult>,
  except?: number,
): Promise<RecordResult> =>
  retryConflicts(async () => {
    try {
      return await write();
    } catch (error) {
      const faults = new Faults();
      if (isTaken(error)) await reportTaken(ctx, fields, faults, except);
      faults.throwIfAny();
      throw error;
    }
  }, isTaken);

/**
 * Creates a contact; every field is optional.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, an e-mail or phone that is taken
 */
export const createContact: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'contact.create');
  const faults = faultsOf(ctx);
  const fields = readContact(ctx.viewer, input, faults);
  if (faults.any) await reportTaken(ctx, fields, faults);
  faults.throwIfAny();
  const values = withDefaults(contacts, fields);
  return refusingTaken(ctx, fields, () => insert(ctx, values, selection, { isAll: true }));
};

/**
 * Updates the fields sent of a contact.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, an e-mail or phone that
 *   another contact has
 */
export const updateContact: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'contact.update');
  const contactId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readContact(ctx.viewer, input, faults);
  if (faults.any) {
    await requireRecord(ctx, 'contacts', contactId);
    await reportTaken(ctx, fields, faults, contactId);
  }
  faults.throwIfAny();
  const write = () => updateRecord(ctx, contacts, contactId, fields, selection);
  return refusingTaken(ctx, fields, write, contactId);
};
