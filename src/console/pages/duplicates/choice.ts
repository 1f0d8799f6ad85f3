/** What of contacts that become one stays. */
import type { DuplicatesQuery } from '../../../generated/console.ts';

export type Duplicates = DuplicatesQuery['duplicates']['data'][number];
export type Contact = Duplicates['contacts'][number];

/** Fields that one of the contacts is chosen for. */
export const fields = ['full_name', 'email', 'phone', 'label_list', 'custom_attributes'] as const;
export type Field = (typeof fields)[number];

/** Which contact stays, and for each field whose value counts: its id, or null where all are united. */
export interface Choice {
  readonly into: number;
  readonly prefer: Readonly<Record<Field, number | null>>;
}

/** Whether a field is of many values, which can be united. */
export const isUnited = (field: Field): boolean =>
  field === 'label_list' || field === 'custom_attributes';

/** What the service does on its own: blank fields are filled from the others in their order. */
export function usual(contacts: readonly Contact[], into: number): Choice {
  const ordered = [...contacts].sort(
    (one, other) => Number(other.id === into) - Number(one.id === into),
  );
  const first = (field: 'full_name' | 'email' | 'phone') =>
    ordered.find((contact) => contact[field] !== '')?.id ?? into;
  return {
    into,
    prefer: {
      full_name: first('full_name'),
      email: first('email'),
      phone: first('phone'),
      label_list: null,
      custom_attributes: null,
    },
  };
}

/** The choice as the service takes it. */
export const inputOf = (contacts: readonly Contact[], { into, prefer }: Choice) => ({
  from: contacts.map(({ id }) => id).filter((id) => id !== into),
  prefer: Object.fromEntries(Object.entries(prefer).filter(([, id]) => id !== null)),
});
