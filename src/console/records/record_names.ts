/** What records are called that are known by kind and number alone, and where they are. */
import { RecordNamesDocument, type RecordNamesQuery } from '../../generated/console.ts';
import { ask } from '../api/ask.ts';
import { useLoad } from '../api/use_load.ts';
import { nameOf } from '../api/use_people.ts';
import { words } from '../words/words.ts';
import { contactName } from './contact_name.ts';

/** A record as the trail names it. */
export interface Reference {
  readonly record_type: string;
  readonly record_id: number;
}

/** Fields by name, as they were or as they became. */
export type Values = Readonly<Record<string, unknown>>;

/** A record, and what of it was changed. */
export interface Change extends Reference {
  readonly before?: Values | null;
  readonly after?: Values | null;
}

export interface NamedRecord {
  readonly name: string;
  /** The page that shows it. */
  readonly href: string;
}

/** @returns undefined for a record that is gone, or has no page */
export type RecordNames = (record: Reference) => NamedRecord | undefined;

/** The fields that hold the id of a record, and its kind. */
const referring: ReadonlyMap<string, string> = new Map([
  ['contact_id', 'contact'],
  ['created_by_id', 'user'],
  ['deal_id', 'deal'],
  ['pipeline_id', 'pipeline'],
  ['product_id', 'product'],
  ['stage_id', 'stage'],
  ['user_id', 'user'],
]);

/** @returns the record that a field leads to; undefined where it holds something else */
export function referenceIn(field: string, value: unknown): Reference | undefined {
  const record_type = referring.get(field);
  if (record_type === undefined || typeof value !== 'number') return undefined;
  return { record_type, record_id: value };
}

const referencesIn = (values: Values | null | undefined): readonly Reference[] =>
  Object.entries(values ?? {}).flatMap(([field, value]) => referenceIn(field, value) ?? []);

const keyOf = ({ record_type, record_id }: Reference) => `${record_type} ${record_id}`;

/** Asks at once for the names of the records and of what their fields lead to, up to a hundred of each kind. */
export function useRecordNames(changes: readonly Change[]): RecordNames {
  const references = changes.flatMap((change) => [
    change,
    ...referencesIn(change.before),
    ...referencesIn(change.after),
  ]);
  const query = (type: string) => {
    const ids = references.filter((one) => one.record_type === type).map((one) => one.record_id);
    return { id_in: [0, ...[...new Set(ids)].slice(0, 99)] };
  };
  const given = {
    contacts: query('contact'),
    deals: query('deal'),
    pipelines: query('pipeline'),
    products: query('product'),
    stages: query('stage'),
    tokens: query('token'),
    users: query('user'),
    webhooks: query('webhook'),
  };
  const load = async () => (changes.length > 0 ? ask(RecordNamesDocument, given) : undefined);
  const { data } = useLoad(load, JSON.stringify(given));
  const named = data && namesIn(data);
  return (record) => named?.get(keyOf(record));
}

function namesIn(found: RecordNamesQuery): ReadonlyMap<string, NamedRecord> {
  const { records, tokens } = words.value;
  const named = new Map<string, NamedRecord>();
  const note = <Row extends { readonly id: number }>(
    record_type: string,
    rows: readonly Row[],
    nameIn: (row: Row) => string,
    hrefOf: (row: Row) => string,
  ) => {
    for (const row of rows) {
      const name = nameIn(row) || records.untitled;
      named.set(keyOf({ record_type, record_id: row.id }), { name, href: hrefOf(row) });
    }
  };
  const own = ({ name }: { readonly name: string }) => name;
  note('account', [found.account], own, () => '/account');
  note('contact', found.contacts.data, contactName, ({ id }) => `/contacts/${id}`);
  note('deal', found.deals.data, own, ({ id }) => `/deals/${id}`);
  note('pipeline', found.pipelines.data, own, () => '/pipelines');
  // A product has no page of its own.
  const ofText = (text: string) => `/products?text=${encodeURIComponent(text)}`;
  note('product', found.products.data, own, ({ name }) => ofText(name));
  note('stage', found.stages.data, own, () => '/pipelines');
  const tokenName = ({ name }: { readonly name: string }) => name || tokens.nameless;
  note('token', found.tokens.data, tokenName, () => '/tokens');
  note('user', found.users.data, nameOf, ({ id }) => `/users/${id}`);
  const webhookName = (of: { readonly description: string; readonly url: string }) =>
    of.description || of.url;
  note('webhook', found.webhooks.data, webhookName, ({ id }) => `/webhooks/${id}`);
  return named;
}
