/** What contacts are found by: their e-mail and phone, which no two of an account have. */
import type { Viewer } from '../../auth/viewer.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import type { Input } from '../kernel/fields/input.ts';
import { formerPhones } from './former_phones.ts';
import { identifies } from './phone.ts';
import type { ContactFields } from './record.ts';

/** What one contact is found by; without both it is nobody yet. */
export interface Identity {
  readonly email?: string | undefined;
  /** As it is stored today. */
  readonly phone?: string | undefined;
  /** As it may have been stored by former rules. */
  readonly formerPhones: readonly string[];
}

/** A contact with what identifies it. */
export interface KnownContact {
  readonly id: number;
  readonly email: string;
  readonly phone: string;
}

/** Whether no two contacts of an account may have this. */
export const isUnique = (field: 'email' | 'phone', value: string): boolean =>
  field === 'email' ? value !== '' : identifies(value);

/** What the fields of a contact identify it by: blank ones and phones without digits by nothing. */
export const identityOf = ({ email, phone }: ContactFields): Identity => ({
  email: email || undefined,
  phone: phone && identifies(phone) ? phone : undefined,
  formerPhones: [],
});

/**
 * The same where an existing contact is looked for, which may have its phone in the form of former
 * rules.
 * @param input what the fields were read from
 */
export function identityIn(viewer: Viewer, input: Input, fields: ContactFields): Identity {
  const identity = identityOf(fields);
  const { phone } = identity;
  if (phone === undefined || typeof input.phone !== 'string') return identity;
  return { ...identity, formerPhones: formerPhones(input.phone, phone, viewer.defaultCountry) };
}

/** All forms of the phone, today's first. */
export const phonesOf = ({ phone, formerPhones }: Identity): readonly string[] =>
  phone === undefined ? [] : [phone, ...formerPhones];

/** A condition that contacts with this e-mail meet; an index answers it. */
export const hasEmail = (email: string): Sql => sql`NULLIF(email, '') = ${email}`;

/** The same for a phone in any of its forms. */
export function hasPhone(identity: Identity): Sql {
  const { phone, formerPhones } = identity;
  return formerPhones.length === 0
    ? sql`phone COLLATE "C" = ${phone}`
    : sql`phone COLLATE "C" = ANY(${phonesOf(identity)}::text[])`;
}

/** A condition that contacts with the e-mail or the phone meet; undefined where there is neither. */
export function isAlike(identity: Identity): Sql | undefined {
  const { email, phone } = identity;
  if (email === undefined) return phone === undefined ? undefined : hasPhone(identity);
  return phone === undefined ? hasEmail(email) : sql`(${hasEmail(email)} OR ${hasPhone(identity)})`;
}
