/** What records are called that are known by kind and number alone, and where they are. */
import { RecordNamesDocument } from '../../generated/console.ts';
import { ask } from '../api/ask.ts';
import { useLoad } from '../api/use_load.ts';
import { words } from '../words/words.ts';
import { contactName } from './contact_name.ts';

/** A record as the trail names it. */
export interface Reference {
  readonly record_type: string;
  readonly record_id: number;
}

export interface NamedRecord {
  readonly name: string;
  /** The page that shows it. */
  readonly href: string;
}

/** @returns undefined for a record that is gone, or has no page */
export type RecordNames = (record: Reference) => NamedRecord | undefined;

const keyOf = ({ record_type, record_id }: Reference) => `${record_type} ${record_id}`;

/** Asks for the names of up to a hundred records of each kind. */
export function useRecordNames(records: readonly Reference[]): RecordNames {
  const idsOf = (type: string) => [
    ...new Set(records.filter((one) => one.record_type === type).map((one) => one.record_id)),
  ];
  const query = (type: string) => ({ id_in: [0, ...idsOf(type).slice(0, 99)] });
  const given = { contacts: query('contact'), deals: query('deal'), products: query('product') };
  const load = async () => (records.length > 0 ? ask(RecordNamesDocument, given) : undefined);
  const { data } = useLoad(load, JSON.stringify(given));
  const { untitled } = words.value.records;
  const named = new Map<string, NamedRecord>();
  const note = (record_type: string, record_id: number, name: string, href: string) =>
    named.set(keyOf({ record_type, record_id }), { name, href });
  for (const contact of data?.contacts.data ?? []) {
    note('contact', contact.id, contactName(contact), `/contacts/${contact.id}`);
  }
  for (const { id, name } of data?.deals.data ?? []) {
    note('deal', id, name || untitled, `/deals/${id}`);
  }
  for (const { id, name } of data?.products.data ?? []) {
    note('product', id, name || untitled, `/products?text=${encodeURIComponent(name)}`);
  }
  return (record) => named.get(keyOf(record));
}
