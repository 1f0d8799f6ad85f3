/** Finding the records that rows name as those that they belong to. */
import { toNfc } from '../lib/nfc.ts';
import type { Draft, Fields, ParentReference } from './draft.ts';
import type { Service } from './service.ts';
import { type Importable, parentsOf } from './targets.ts';

/** How many records one request asks for. */
const maxAsked = 100;

const attribute = /^custom_attributes\.(.+)$/s;

/**
 * Gives drafts the ids of their parents: of a pipeline before its stage, whose name may be that of a stage
 * of another pipeline, too.
 * @returns the same drafts; a parent that is not there, or there twice, is a fault of its draft
 */
export async function withParents(
  service: Service,
  records: Importable,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  let results = drafts;
  for (const { parent, by } of parentsOf(records)) {
    const references = results.map((draft) => meant(draft, parent, by));
    const known = await find(
      service,
      parent,
      references.filter((one) => one !== undefined),
    );
    results = results.map((draft, at) => {
      const named = references[at];
      return named
        ? placed(draft, named, known.get(named.by)?.get(comparable(named)) ?? [])
        : draft;
    });
  }
  return results;
}

/**
 * The upsert of a deal finds its contact by itself, or creates it from the row: only what was given as an
 * attribute is looked for.
 */
export function describingContact(draft: Draft): Draft {
  const [describing, others] = [true, false].map((isDescribing) =>
    draft.named.filter(
      ({ parent, by }) => (parent === 'contact' && !attribute.test(by)) === isDescribing,
    ),
  );
  if (!describing?.length || !others) return draft;
  const contact = Object.fromEntries(describing.map(({ by, value }) => [by, value]));
  return { ...draft, named: others, fields: { ...draft.fields, contact_attributes: contact } };
}

/** What says best which parent a row means. */
function meant(
  { named }: Draft,
  parent: string,
  by: readonly string[],
): ParentReference | undefined {
  const own = named.filter((one) => one.parent === parent);
  const rank = ({ by: field }: ParentReference) => by.findIndex((one) => field.startsWith(one));
  return own.toSorted((a, b) => rank(a) - rank(b))[0];
}

function placed(
  draft: Draft,
  { parent, by, value }: ParentReference,
  records: readonly Fields[],
): Draft {
  const { pipeline_id: pipeline } = draft.fields;
  const isWithin = (one: Fields) =>
    parent !== 'stage' || pipeline === undefined || String(one.pipeline_id) === String(pipeline);
  const within = records.filter(isWithin);
  // Of names that differ in case alone the one that is written so is meant.
  const exact = within.filter((record) => ignoresCase(parent) && record[by] === value);
  const [one, other] = exact.length > 0 ? exact : within;
  if (one && !other) return { ...draft, fields: { ...draft.fields, [`${parent}_id`]: one.id } };
  const fault = one ? `is that of several: ${value}` : `must exist: ${value}`;
  return { ...draft, faults: { ...draft.faults, [`${parent}.${by}`]: [fault] } };
}

/** Records by what they are asked for by, and its value. */
async function find(
  service: Service,
  parent: string,
  references: readonly ParentReference[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly Fields[]>>> {
  const byParent = new Map<string, Map<string, Fields[]>>();
  for (const by of new Set(references.map((one) => one.by))) {
    const named = [
      ...new Map(references.filter((one) => one.by === by).map((one) => [one.value, one])).values(),
    ];
    const look = identifies(parent, by) ? matching : search;
    const byValue = new Map<string, Fields[]>();
    for (let at = 0; at < named.length; at += maxAsked) {
      for (const [value, record] of await look(service, named.slice(at, at + maxAsked))) {
        const known = byValue.get(value) ?? [];
        if (!known.some(({ id }) => id === record.id)) byValue.set(value, [...known, record]);
      }
    }
    byParent.set(by, byValue);
  }
  return byParent;
}

type Look = (
  service: Service,
  named: readonly ParentReference[],
) => Promise<readonly (readonly [value: string, record: Fields])[]>;

const identifies = (parent: string, by: string): boolean =>
  parent === 'contact' && (by === 'email' || by === 'phone');

/**
 * Finds the contacts that an upsert would change, so that a row finds by an e-mail or a phone whom the
 * service finds by it: only the service knows what makes two of them the same.
 */
const matching: Look = async (service, named) => {
  const values = [...new Set(named.map(comparable))];
  const records = values.map((value) => ({ [named[0]?.by ?? '']: value }));
  const body = JSON.stringify({ operation: 'upsert', records, dry_run: true });
  const results = await service.write('contacts', body, undefined);
  // Another way to write the same may have found the contact that one of these would have made.
  const isThere = new Set(results.flatMap(({ status, id }) => (status === 200 ? id : [])));
  for (const { status, id } of results) if (status === 201) isThere.delete(id);
  return results.flatMap(({ index, id }) => {
    const value = values[index];
    return id !== null && isThere.has(id) && value !== undefined ? [[value, { id }] as const] : [];
  });
};

const search: Look = async (service, named) => {
  const [{ parent, by } = { parent: '', by: '' }] = named;
  const values = [...new Set(named.flatMap((one) => [comparable(one), one.value]))];
  const query = ignoresCase(parent)
    ? { [`${by}_matches_any`]: values.map((value) => value.replace(/[\\%_]/g, '\\$&')) }
    : { [`${by}_in`]: values };
  const records = await service.find(`${parent}s`, query);
  return records.map((record) => [comparable({ parent, by, value: textOf(record, by) }), record]);
};

const ignoresCase = (parent: string): boolean => parent === 'stage' || parent === 'pipeline';

/** A text as it is compared with others: a name as it is stored, those of a pipeline and its stages in lower case. */
function comparable({ parent, by, value }: ParentReference): string {
  if (identifies(parent, by) || attribute.test(by)) return value;
  const text = toNfc(value);
  if (by === 'full_name') return text.trim().replace(/\s+/g, ' ');
  return ignoresCase(parent) ? text.toLowerCase() : text;
}

function textOf(record: Fields, by: string): string {
  const [, key] = attribute.exec(by) ?? [];
  if (key === undefined) return String(record[by]);
  const attributes = Object.entries(record.custom_attributes ?? {});
  return String(attributes.find(([name]) => name === key)?.[1]);
}
