import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { mustExist } from '../../errors/codes.ts';
import { noField } from '../../errors/did_you_mean.ts';
import { Faults, maxNamed } from '../../errors/errors.ts';
import { isEmptyList, isJsonObject } from '../../json/json.ts';
import { aliased, findAliases } from '../contacts/aliases.ts';
import { type Identity, identityIn, identityOf } from '../contacts/identity.ts';
import { type ContactFields, contacts, readContact } from '../contacts/record.ts';
import { matchContact } from '../contacts/upsert.ts';
import { findContacts, insertContact, isTaken } from '../contacts/write.ts';
import { optionalReference } from '../kernel/fields/fields.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { idAlone } from '../kernel/read/record.ts';
import { type RecordResult, valuesOf } from '../kernel/read/record_result.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { insertDeal } from './create.ts';
import { currentDeal } from './current.ts';
import { deals } from './record.ts';
import { changeDeal } from './update.ts';

/**
 * Updates the first deal of a contact, whatever its status, or creates one. `contact_attributes`
 * finds or creates the contact; without them, or where all of them are blank, `contact_id` names it.
 * All in one transaction, so a refused deal leaves no new contact behind.
 * @throws {Fault} INSUFFICIENT_SCOPE for a token with `contact_attributes` that may not write
 *   contacts; VALIDATION_FAILED for an invalid field of either, a stage or contact that does
 *   not exist, a pipeline that is not the stage's
 */
export async function upsertDeal(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<{ deal: RecordResult; created: boolean }> {
  authorize(ctx.viewer, account, 'deal.create');
  const { contact_attributes } = input;
  if (contact_attributes !== undefined && contact_attributes !== null) {
    authorize(ctx.viewer, account, 'contact.create');
  }
  const faults = faultsOf(ctx);
  const fields = readFields(input, deals.fields, faults);
  const contact = readContactAttributes(ctx, input, faults);
  return inTransaction(
    ctx,
    async (tx) => {
      const contactId = contact ? await findOrCreate(tx, contact, faults) : fields.contact_id;
      const existing = contactId ? await firstDeal(tx, contactId) : undefined;
      // An existing deal belongs to the contact already.
      const { contact_id: _, ...rest } = fields;
      const before = existing && (await currentDeal(tx, existing, rest, false));
      if (!before) {
        return { deal: await insertDeal(tx, rest, contactId, faults, selection), created: true };
      }
      const deal = await changeDeal(tx, (work) => work(tx), before, rest, faults, selection);
      return { deal, created: false };
    },
    (error) => isTaken(error) || isBroken('foreign_key')(error),
  );
}

/** The contact that `contact_attributes` ask for: the one with the id, else as the fields say. */
export interface ContactAttributes {
  readonly id: number | undefined;
  readonly fields: ContactFields;
  readonly identity: Identity;
}

/** @returns undefined when nothing is said of a contact but, maybe, its `contact_id` */
export function readContactAttributes(
  ctx: UnitOfWork,
  { contact_id, contact_attributes }: Input,
  faults: Faults,
): ContactAttributes | undefined {
  const value = isEmptyList(contact_attributes) ? {} : contact_attributes;
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    faults.add('contact_attributes', 'must be an object');
    return { id: undefined, fields: {}, identity: identityOf({}) };
  }
  const ownFaults = new Faults();
  for (const name of Object.keys(value).filter(isNoField).slice(0, maxNamed)) {
    ownFaults.addMisplaced({ name, message: noField(name, contactFields) });
  }
  const { id } = readFields(value, { id: optionalReference }, ownFaults);
  const fields = readContact(ctx.viewer, value, ownFaults);
  const saysNothing = !ownFaults.any && !id && Object.values(fields).every(isBlank);
  if (saysNothing && contact_id !== undefined) return undefined;
  faults.addAll(ownFaults, 'contact_attributes.');
  return { id: id ?? undefined, fields, identity: identityIn(ctx.viewer, value, fields) };
}

/** All that `contact_attributes` may hold; of an object that the schema does not check. */
const contactFields: ReadonlySet<string> = new Set(['id', ...Object.keys(contacts.fields)]);

const isNoField = (name: string): boolean => !contactFields.has(name);

/** Whether a contact's field is as that of a contact of whom nothing is known. */
const isBlank = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : /^(\{\s*\})?$/.test(String(value));

/** The id of the contact that matches, unchanged, or of a new one; null when there are faults. */
async function findOrCreate(
  ctx: UnitOfWork,
  { id, fields, identity }: ContactAttributes,
  faults: Faults,
): Promise<number | null> {
  if (id !== undefined) return findById(ctx, id, faults);
  const holders = await findContacts(ctx, identity);
  const match = matchContact(holders, identity, faults, 'contact_attributes.');
  if (match) return match.id;
  const alias = aliased(await findAliases(ctx, [identity]), identity);
  if (alias) return alias.id;
  if (faults.any) return null;
  const created = await insertContact(ctx, fields, idAlone);
  return Number(valuesOf(created).id);
}

async function findById(ctx: UnitOfWork, id: number, faults: Faults): Promise<number | null> {
  const rows = await ctx.db.query(
    sql`SELECT FROM contacts WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
  );
  if (rows.length > 0) return id;
  faults.add('contact_attributes.id', mustExist);
  return null;
}

/**
 * The id of the contact's first deal. The contact stays locked, so that of two simultaneous calls
 * the second finds the deal of the first.
 */
async function firstDeal(ctx: UnitOfWork, contactId: number): Promise<number | undefined> {
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`SELECT id FROM contacts WHERE account_id = ${accountId} AND id = ${contactId} FOR NO KEY UPDATE`,
  );
  const [row] = await ctx.db.query<{ id: number }>(
    sql`SELECT id FROM deals WHERE account_id = ${accountId} AND contact_id = ${contactId} ORDER BY id LIMIT 1`,
  );
  return row?.id;
}
