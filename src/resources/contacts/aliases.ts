/** What contacts that were merged into others are still found by: until somebody else has it. */
import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, join, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { Fault, MergedContact } from '../../errors/errors.ts';
import { type ById, getting } from '../kernel/read/read.ts';
import { type Identity, type KnownContact, phonesOf } from './identity.ts';
import { contacts } from './record.ts';

/** An e-mail and a phone that lead to a contact which has others. */
export interface Alias extends KnownContact {
  /** The contact itself. */
  readonly contact: KnownContact;
}

interface Row extends KnownContact {
  readonly own_email: string;
  readonly own_phone: string;
}

/**
 * The contacts that are left of those which had these.
 * @param locking whether they may be changed
 */
export async function findAliases(
  { db, viewer: { accountId } }: UnitOfWork,
  identities: readonly Identity[],
  locking = false,
): Promise<readonly Alias[]> {
  const emails = identities.flatMap(({ email }) => email ?? []);
  const phones = identities.flatMap(phonesOf);
  if (emails.length + phones.length === 0) return [];
  const rows = await db.query<Row>(
    sql`SELECT c.id, a.email, a.phone, c.email AS own_email, c.phone AS own_phone
      FROM contact_aliases AS a JOIN contacts AS c ON c.account_id = ${accountId} AND c.id = a.contact_id
      WHERE a.account_id = ${accountId}
        AND ((a.email = ANY(${emails}::text[]) AND a.email <> '') OR (a.phone = ANY(${phones}::text[]) AND a.phone <> ''))
      ORDER BY c.id, a.id ${locking ? raw('FOR NO KEY UPDATE OF c') : empty}`,
    adhoc,
  );
  return rows.map(({ own_email, own_phone, ...alias }) => ({
    ...alias,
    contact: { id: alias.id, email: own_email, phone: own_phone },
  }));
}

/** A query of the aliases with the e-mail or the phone, as Citus takes it: with a column; undefined where there is neither. */
export function aliasesOf({ viewer }: UnitOfWork, identity: Identity): Sql | undefined {
  const { email } = identity;
  const phones = phonesOf(identity);
  const conditions = [
    ...(email ? [sql`a.email = ${email}`] : []),
    ...(phones.length > 0 ? [sql`a.phone = ANY(${phones}::text[])`] : []),
  ];
  if (conditions.length === 0) return undefined;
  return sql`SELECT a.id FROM contact_aliases AS a JOIN contacts AS c ON c.account_id = ${viewer.accountId} AND c.id = a.contact_id
    WHERE a.account_id = ${viewer.accountId} AND (${join(conditions, ' OR ')})`;
}

/** The contact that an e-mail leads to, else a phone. */
export function aliased(aliases: readonly Alias[], identity: Identity): KnownContact | undefined {
  const { email } = identity;
  const phones = phonesOf(identity);
  const byEmail = email ? aliases.find((alias) => alias.email === email) : undefined;
  return (byEmail ?? aliases.find(({ phone }) => phone !== '' && phones.includes(phone)))?.contact;
}

const get = getting(contacts);

/** One contact: NOT_FOUND with the id of the contact that it was merged into, if it was. */
export const getContact: ById = async (ctx, account, id, selection) => {
  try {
    return await get(ctx, account, id, selection);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error;
    authorize(ctx.viewer, account, 'contact.read');
    const [row] = await ctx.db.query<{ contact_id: number }>(
      sql`SELECT c.id AS contact_id FROM contact_aliases AS a JOIN contacts AS c ON c.account_id = ${ctx.viewer.accountId} AND c.id = a.contact_id
        WHERE a.account_id = ${ctx.viewer.accountId} AND a.merged_id = ${readId(id)}`,
      { reads: true },
    );
    throw row ? new MergedContact(row.contact_id) : error;
  }
};
