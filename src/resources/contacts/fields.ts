/** A contact's fields as clients send them, and how they are normalised. */

import { emailField } from '../email.ts';
import { attributes, type Field, type Sent, text } from '../fields.ts';
import { labels } from './labels.ts';
import { normalisePhone } from './phone.ts';

/** Fields of a contact of an account whose phone numbers may be read in a default country. */
export function contactFields(defaultCountry: string | null) {
  return {
    full_name: text({ normalise: (name) => name.trim().replace(/\s+/g, ' ') }),
    email: emailField,
    phone: text({ normalise: (phone) => normalisePhone(phone, defaultCountry) }),
    label_list: labels,
    custom_attributes: attributes,
  } satisfies Record<string, Field<unknown>>;
}

export type ContactSent = Sent<ReturnType<typeof contactFields>>;

/** What of a contact a client decides. */
export interface ContactValues {
  readonly full_name: string;
  readonly email: string;
  readonly phone: string;
  readonly label_list: readonly string[];
  /** JSON text. */
  readonly custom_attributes: string;
}

export const blankContact: ContactValues = {
  full_name: '',
  email: '',
  phone: '',
  label_list: [],
  custom_attributes: '{}',
};
