import type { Viewer } from '../../auth/viewer.ts';
import type { Faults } from '../../errors/errors.ts';
import { attributes } from '../kernel/fields/attributes.ts';
import { emailField, fullNameField, text } from '../kernel/fields/fields.ts';
import { type Input, type ParsedInput, readFields } from '../kernel/fields/input.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';
import { labels } from './labels.ts';
import { normalisePhone, numberForms } from './phone.ts';

/** @param country assumed for numbers without a country code */
const phoneIn = (country: string | null) =>
  text({ normalise: (phone) => normalisePhone(phone, country) });

export const contacts = resource('contacts', {
  fields: {
    full_name: fullNameField,
    email: emailField,
    phone: phoneIn(null),
    label_list: labels,
    custom_attributes: attributes,
  },
  searchable: [
    'id',
    'full_name',
    'email',
    'phone',
    'app_type',
    'app_id',
    'created_at',
    'updated_at',
    'label_list',
    'custom_attributes',
  ],
  // What the library behind the search language calls them.
  aliases: { labels_name: 'label_list' },
  followed: ['deals'],
  foundBy: ['full_name', 'email', 'phone', 'label_list'],
  numberForms,
  takesPart: { changes: plainVerbs, undo: {}, exports: true, erasure: true },
});

export type ContactFields = ParsedInput<typeof contacts.fields>;

/** Reads a contact's fields; phone numbers without a country code are read in the account's. */
export const readContact = (
  { defaultCountry }: Viewer,
  input: Input,
  faults: Faults,
): ContactFields =>
  readFields(input, { ...contacts.fields, phone: phoneIn(defaultCountry) }, faults);
