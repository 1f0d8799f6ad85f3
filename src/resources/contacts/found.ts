import type { UnitOfWork } from '../../context.ts';
import { empty, raw, sql } from '../../db/sql.ts';
import type { ContactSent } from './record.ts';
import type { KnownContact } from './write.ts';

/** A contact of a batch, as far as it could be read. */
export interface Wanted {
  /** Where it is about one that there is. */
  readonly id?: number | undefined;
  readonly sent: ContactSent;
}

/** Contacts that share an e-mail or a phone with those of a batch, or are named by these. */
export class Found {
  readonly #byId = new Map<number, KnownContact>();
  readonly #byEmail = new Map<string, KnownContact>();
  readonly #byPhone = new Map<string, KnownContact>();

  constructor(contacts: readonly KnownContact[]) {
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

  /** Those with this e-mail or this phone, as `findContacts` has them; blank ones match nothing. */
  holders({ email, phone }: ContactSent): readonly KnownContact[] {
    const byEmail = email ? this.#byEmail.get(email) : undefined;
    const byPhone = phone ? this.#byPhone.get(phone) : undefined;
    const both = byPhone === byEmail ? [byEmail] : [byEmail, byPhone];
    return both.filter((contact) => contact !== undefined).sort((one, other) => one.id - other.id);
  }
}

/**
 * Looks for contacts.
 * @param locking whether they may be changed; in the order of their ids, so that no two calls wait
 *   for each other
 */
export async function lookFor(
  ctx: UnitOfWork,
  wanted: readonly Wanted[],
  locking: boolean,
): Promise<Found> {
  const ids = wanted.flatMap(({ id }) => id ?? []);
  const emails = wanted.flatMap(({ sent: { email } }) => email || []);
  const phones = wanted.flatMap(({ sent: { phone } }) => phone || []);
  if (ids.length + emails.length + phones.length === 0) return new Found([]);
  return new Found(
    await ctx.db.query<KnownContact>(
      sql`SELECT id, email, phone FROM contacts
        WHERE account_id = ${ctx.viewer.accountId} AND (id = ANY(${ids}::bigint[])
          OR NULLIF(email, '') = ANY(${emails}::text[]) OR NULLIF(phone, '') = ANY(${phones}::text[]))
        ORDER BY id ${locking ? raw('FOR NO KEY UPDATE') : empty}`,
      // Planned each time: a plan that is kept from when the account was small reads all of it.
    ),
  );
}

/** What no two contacts share, and what a contact is: names of all that a write of it touches. */
export const touchesOf = (
  { email, phone }: ContactSent,
  contacts: readonly KnownContact[],
): readonly string[] =>
  [{ id: undefined, email, phone }, ...contacts].flatMap((contact) => [
    ...(contact.id ? [`id ${contact.id}`] : []),
    ...(contact.email ? [`email ${contact.email}`] : []),
    ...(contact.phone ? [`phone ${contact.phone}`] : []),
  ]);
