/** Merging contacts that are one person. */
import { authorize, mergeActions, readId } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { name, sql } from '../../db/sql/sql.ts';
import { blank, coded, mustExist } from '../../errors/codes.ts';
import { type Faults, notFound } from '../../errors/errors.ts';
import { isJsonObject, parseJson, uniteKeys } from '../../json/json.ts';
import { asId } from '../../lib/integer.ts';
import { keysOf } from '../../lib/object_keys.ts';
import { auditEntries } from '../audit/entry.ts';
import { attributes } from '../kernel/fields/attributes.ts';
import type { Input } from '../kernel/fields/input.ts';
import { requireRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import type { Values } from '../kernel/resource.ts';
import { moveReferences, referringTo } from '../kernel/write/move.ts';
import { removal } from '../kernel/write/removal.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import {
  type Current,
  overwriting,
  snapshot,
  type Unread,
} from '../kernel/write/update_after_read.ts';
import { isUnique } from './identity.ts';
import { labels } from './labels.ts';
import { contacts } from './record.ts';

/** How many contacts one call merges into another. */
const max = 50;

type Contact = Current<typeof contacts.fields>;
type Fields = Values<typeof contacts.fields>;

/** Fields by the contact whose value counts. */
type Preferences = Partial<Record<keyof Fields, number>>;

/**
 * Merges contacts into one. What it has stays, blank fields are filled from the others in their order, and
 * `prefer` names for a field whose value counts. Labels are united, and attributes key by key. Whatever refers to
 * the others moves, and they go; what they were found by leads to the contact from then on.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for contacts that are not there, repeated or the contact itself, for
 *   more than 50, and for a preference of no such field or contact
 */
export async function mergeContacts(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<RecordResult> {
  for (const action of mergeActions) authorize(ctx.viewer, account, action);
  const into = readId(id);
  const faults = faultsOf(ctx);
  const from = readFrom(input.from, into, faults);
  const prefer = readPreferences(input.prefer, [into, ...from], faults);
  if (faults.any) await requireRecord(ctx, 'contacts', into);
  faults.throwIfAny();
  return inTransaction(ctx, (tx) => merge(tx, into, from, prefer, selection));
}

function readFrom(value: unknown, into: number, faults: Faults): readonly number[] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    faults.add('from', blank);
    return [];
  }
  if (!Array.isArray(value)) {
    faults.add('from', 'must be a list of ids');
    return [];
  }
  if (value.length > max) faults.add('from', coded('too_many', `has more than ${max} contacts`));
  const ids = value.map(asId);
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length) faults.add('from', mustExist);
  if (new Set(known).size < known.length) faults.add('from', 'names a contact twice');
  if (known.includes(into)) faults.add('from', 'must not name the contact itself');
  return known;
}

function readPreferences(value: unknown, ids: readonly number[], faults: Faults): Preferences {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) {
    faults.add('prefer', 'must be an object');
    return {};
  }
  const preferences: Preferences = {};
  for (const [field, contact] of Object.entries(value)) {
    const known = keysOf(contacts.fields).find((one) => one === field);
    const id = asId(contact);
    if (!known) faults.add(`prefer.${field}`, coded('unknown_field', 'is not a field'));
    else if (id === undefined || !ids.includes(id)) faults.add(`prefer.${field}`, mustExist);
    else preferences[known] = id;
  }
  return preferences;
}

const { columns, read: readRow } = snapshot(contacts, 'c');
const overwrite = overwriting(contacts);

async function merge(
  ctx: UnitOfWork,
  into: number,
  from: readonly number[],
  prefer: Preferences,
  selection: Selection,
): Promise<RecordResult> {
  const { accountId } = ctx.viewer;
  // Against whatever may come to refer to them.
  const rows = await ctx.db.query<Unread<Contact>>(
    sql`SELECT ${columns} FROM contacts AS c
      WHERE c.account_id = ${accountId} AND c.id = ANY(${[into, ...from]}::bigint[]) ORDER BY c.id FOR UPDATE`,
    adhoc,
  );
  const known = new Map(rows.map((row) => [row.id, readRow(row)]));
  const contact = known.get(into);
  if (!contact) throw notFound();
  const faults = faultsOf(ctx);
  const others = from.flatMap((id) => known.get(id) ?? []);
  if (others.length < from.length) faults.add('from', mustExist);
  faults.throwIfAny();
  const after = merged(contact, others, prefer, faults);
  faults.throwIfAny();
  await moveReferences(ctx, { which: referringTo('contacts'), from, to: into, way: 'all' });
  await addAliases(ctx, contact, others, after);
  const { steps, entries } = removal(ctx, 'contacts', sql`id = ANY(${[...from]}::bigint[])`);
  await ctx.db.query(sql`WITH ${steps} ${auditEntries(ctx, ...entries)}`, adhoc);
  return overwrite(ctx, contact, after, selection);
}

/** The fields of the contact that is left. */
function merged(
  contact: Contact,
  others: readonly Contact[],
  prefer: Preferences,
  faults: Faults,
): Fields {
  const all = [contact, ...others];
  const preferred = (field: keyof Fields) => all.find(({ id }) => id === prefer[field]);
  const first = (field: 'full_name' | 'email' | 'phone') =>
    preferred(field)?.[field] ?? all.find((one) => one[field] !== '')?.[field] ?? '';
  const report = (field: string) => (problem: Parameters<Faults['add']>[1]) =>
    faults.add(field, problem);
  const owner = preferred('custom_attributes') ?? contact;
  const rest = all.filter((one) => one !== owner).map((one) => one.custom_attributes);
  const united = uniteKeys(owner.custom_attributes, rest);
  const attributesText = attributes.read(parseJson(united), report('custom_attributes'));
  return {
    full_name: first('full_name'),
    email: first('email'),
    phone: first('phone'),
    label_list:
      preferred('label_list')?.label_list ??
      labels.read(
        all.flatMap((one) => one.label_list),
        report('label_list'),
      ) ??
      [],
    custom_attributes: attributesText ?? '{}',
  };
}

/** Has what the others were found by, and what the contact gave up, lead to the contact. */
async function addAliases(
  { db, viewer: { accountId } }: UnitOfWork,
  contact: Contact,
  others: readonly Contact[],
  after: Fields,
): Promise<void> {
  const from = others.map(({ id }) => id);
  await db.query(
    sql`UPDATE ${name('contact_aliases')} SET contact_id = ${contact.id}, path = path || contact_id
      WHERE account_id = ${accountId} AND contact_id = ANY(${from}::bigint[])`,
    adhoc,
  );
  const isAliasOf = (field: 'email' | 'phone') => (value: string) =>
    isUnique(field, value) && value !== after[field] ? value : '';
  const rows = [...others, contact].map(({ id, email, phone }) => ({
    ...{ merged_id: id, email: isAliasOf('email')(email), phone: isAliasOf('phone')(phone) },
  }));
  // The contact itself is not gone: what it gave up stands beside no id that leads to it.
  const aliases = rows.filter((row) => row.merged_id !== contact.id || row.email || row.phone);
  await db.query(
    sql`INSERT INTO contact_aliases (account_id, contact_id, merged_id, email, phone)
      SELECT ${accountId}::bigint, ${contact.id}::bigint, merged_id, email, phone
      FROM json_to_recordset(${JSON.stringify(aliases)}::json) AS sent (merged_id bigint, email text, phone text)
      ON CONFLICT (account_id, merged_id) DO UPDATE SET email = excluded.email, phone = excluded.phone`,
    adhoc,
  );
}
