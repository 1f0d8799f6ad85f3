/** The statements that write a contact, each with its audit entry. */
import { DatabaseError } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import type { Faults } from '../../errors.ts';
import { auditEntry, type Changes } from '../audit/entry.ts';
import { type Stored, type Working, writeRecord } from '../record.ts';
import type { ContactSent, ContactValues } from './fields.ts';
import { blankContact } from './fields.ts';

/** A contact as it stands, and the version that a change to it builds on. */
export type CurrentContact = ContactValues & { readonly id: number; readonly version: string };

const current = sql`SELECT id, full_name, email, phone, to_json(label_list)::text AS label_list,
  custom_attributes::text AS custom_attributes, xmin::text AS version FROM contacts`;

type CurrentRow = Omit<CurrentContact, 'label_list'> & { readonly label_list: string };

const toCurrent = (row: CurrentRow): CurrentContact => ({
  ...row,
  label_list: JSON.parse(row.label_list),
});

/** Contacts that hold this e-mail or this phone; blank ones match nothing. */
export async function findContacts(
  ctx: Working,
  { email, phone }: Pick<ContactSent, 'email' | 'phone'>,
): Promise<CurrentContact[]> {
  if (!email && !phone) return [];
  const rows = await ctx.db.query<CurrentRow>(
    sql`${current} WHERE account_id = ${ctx.viewer.accountId}
      AND (NULLIF(email, '') = ${email ?? ''} OR NULLIF(phone, '') = ${phone ?? ''})
      ORDER BY id`,
    { named: true },
  );
  return rows.map(toCurrent);
}

export async function findContact(ctx: Working, id: number): Promise<CurrentContact | undefined> {
  const [row] = await ctx.db.query<CurrentRow>(
    sql`${current} WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  return row && toCurrent(row);
}

/** @throws {DatabaseError} unique, when the e-mail or the phone is taken */
export async function insertContact(
  ctx: Working,
  sent: ContactSent,
  selection: Selection,
): Promise<Stored> {
  const contact = { ...blankContact, ...sent };
  const written = await writeRecord(
    ctx,
    'contacts',
    selection,
    sql`written AS (
      INSERT INTO contacts
        (account_id, full_name, email, phone, label_list, custom_attributes, created_at, updated_at)
      VALUES (${ctx.viewer.accountId}, ${contact.full_name}, ${contact.email}, ${contact.phone},
        ${contact.label_list}::text[], ${contact.custom_attributes}::json,
        ${ctx.now.toISOString()}::timestamptz, ${ctx.now.toISOString()}::timestamptz)
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'contact.create', 'written', { before: null, after: contact })})`,
  );
  if (!written) throw new Error('the inserted contact was not returned');
  return written;
}

/**
 * @returns undefined when the contact is no longer as `before` says
 * @throws {DatabaseError} unique, when the e-mail or the phone is taken
 */
export function changeContact(
  ctx: Working,
  before: CurrentContact,
  after: ContactValues,
  changes: Changes,
  selection: Selection,
): Promise<Stored | undefined> {
  return writeRecord(
    ctx,
    'contacts',
    selection,
    sql`written AS (
      UPDATE contacts SET full_name = ${after.full_name}, email = ${after.email}, phone = ${after.phone},
        label_list = ${after.label_list}::text[], custom_attributes = ${after.custom_attributes}::json,
        updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${before.id} AND xmin = ${before.version}::xid
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'contact.update', 'written', changes)})`,
  );
}

/** Whether an error says that a contact's e-mail or phone is taken. */
export const isTaken = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.kind === 'unique' &&
  (error.constraint === 'contacts_account_id_email_key' ||
    error.constraint === 'contacts_account_id_phone_key');

/** Reports which of e-mail and phone another contact than `except` holds. */
export async function reportTaken(
  ctx: Working,
  sent: ContactSent,
  faults: Faults,
  except?: number,
): Promise<void> {
  for (const other of await findContacts(ctx, sent)) {
    if (other.id === except) continue;
    if (sent.email && other.email === sent.email) faults.add('email', 'has already been taken');
    if (sent.phone && other.phone === sent.phone) faults.add('phone', 'has already been taken');
  }
}
