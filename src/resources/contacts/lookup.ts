import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, raw, sql } from '../../db/sql/sql.ts';
import { type Alias, aliased, findAliases } from './aliases.ts';
import { type Identity, identityOf, type KnownContact, phonesOf } from './identity.ts';

/** A contact of a batch, as far as it could be read. */
export interface ContactLookup {
  /** Where it is about one that there is. */
  readonly id?: number | undefined;
  readonly identity: Identity;
}

/** Contacts that share an e-mail or a phone with those of a batch, or are named by these. */
export class ContactMatches {
  readonly #byId = new Map<number, KnownContact>();
  readonly #byEmail = new Map<string, KnownContact>();
  readonly #byPhone = new Map<string, KnownContact>();

  readonly #aliases: readonly Alias[];

  constructor(contacts: readonly KnownContact[], aliases: readonly Alias[] = []) {
    this.#aliases = aliases;
    for (const { contact } of aliases) this.#byId.set(contact.id, contact);
    for (const contact of contacts) {
      this.#byId.set(contact.id, contact);
      if (contact.email) this.#byEmail.set(contact.email, contact);
      if (contact.phone) this.#byPhone.set(contact.phone, contact);
    }
  }

  get ids(): readonly number[] {
    return [...this.#byId.keys()];
  }

  /** The one with this id. */
  named(id: number): KnownContact | undefined {
    return this.#byId.get(id);
  }

  /** The one that is left of one which had this e-mail, else this phone, and was merged into it. */
  aliased(identity: Identity): KnownContact | undefined {
    return aliased(this.#aliases, identity);
  }

  /** Those with this e-mail or this phone, as `findContacts` has them; blank ones match nothing. */
  holders(identity: Identity): readonly KnownContact[] {
    const { email } = identity;
    const byEmail = email ? this.#byEmail.get(email) : undefined;
    const byPhone = phonesOf(identity).map((phone) => this.#byPhone.get(phone));
    const all = new Set([byEmail, ...byPhone].filter((contact) => contact !== undefined));
    return [...all].sort((one, other) => one.id - other.id);
  }
}

/**
 * Looks for contacts.
 * @param locking whether they may be changed; in the order of their ids, so that no two calls wait
 *   for each other
 */
export async function lookUpContacts(
  ctx: UnitOfWork,
  lookups: readonly ContactLookup[],
  locking: boolean,
): Promise<ContactMatches> {
  const ids = lookups.flatMap(({ id }) => id ?? []);
  const emails = lookups.flatMap(({ identity: { email } }) => email ?? []);
  const phones = lookups.flatMap(({ identity }) => phonesOf(identity));
  if (ids.length + emails.length + phones.length === 0) return new ContactMatches([]);
  const contacts = await ctx.db.query<KnownContact>(
    sql`SELECT id, email, phone FROM contacts
      WHERE account_id = ${ctx.viewer.accountId} AND (id = ANY(${ids}::bigint[])
        OR NULLIF(email, '') = ANY(${emails}::text[]) OR phone COLLATE "C" = ANY(${phones}::text[]))
      ORDER BY id ${locking ? raw('FOR NO KEY UPDATE') : empty}`,
    // A plan that is kept from when the account was small reads all of it.
    adhoc,
  );
  const matches = new ContactMatches(contacts);
  // Whom an upsert does not find may have been merged into another.
  const others = lookups.filter(
    ({ id, identity }) => id === undefined && matches.holders(identity).length === 0,
  );
  if (!locking || others.length === 0) return matches;
  const identities = others.map(({ identity }) => identity);
  return new ContactMatches(contacts, await findAliases(ctx, identities, true));
}

/** What no two contacts share, and what a contact is: names of all that a write of it touches. */
export const touchesOf = (
  identity: Identity,
  contacts: readonly KnownContact[],
): readonly string[] => [
  ...namesOf(identity),
  ...contacts.flatMap((contact) => [`id ${contact.id}`, ...namesOf(identityOf(contact))]),
];

const namesOf = (identity: Identity): readonly string[] => [
  ...(identity.email ? [`email ${identity.email}`] : []),
  ...phonesOf(identity).map((phone) => `phone ${phone}`),
];
