/** A contact as its form has it. */
import type { ContactQuery } from '../../../generated/console.ts';
import { listPart, splitList } from '../../../lib/list_text.ts';
import { type Attribute, attributesOf, recordOf } from '../../records/attributes.ts';

export type Contact = ContactQuery['contact'];

export interface ContactValues {
  readonly full_name: string;
  readonly email: string;
  readonly phone: string;
  /** Parted by commas. */
  readonly label_list: string;
  readonly custom_attributes: readonly Attribute[];
}

export const valuesOf = (contact?: Contact): ContactValues => ({
  full_name: contact?.full_name ?? '',
  email: contact?.email ?? '',
  phone: contact?.phone ?? '',
  label_list: (contact?.label_list ?? []).map(listPart).join(', '),
  custom_attributes: attributesOf(contact?.custom_attributes ?? {}),
});

export const inputOf = (values: ContactValues) => ({
  full_name: values.full_name,
  email: values.email,
  phone: values.phone,
  label_list: labelsOf(values.label_list),
  custom_attributes: recordOf(values.custom_attributes),
});

/** Labels parted by commas, which quotes protect; a doubled quote is one. */
export const labelsOf = (typed: string): string[] =>
  splitList(typed)
    .map((label) => label.trim())
    .filter(Boolean);
