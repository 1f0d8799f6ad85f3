/** Finding the records that rows name as those that they belong to. */
import type { Draft, Fields, Named } from './draft.ts';
import type { Service } from './service.ts';
import { type Importable, parentsOf } from './targets.ts';

/** How many records one request asks for. */
const mostAsked = 100;

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
  let done = drafts;
  for (const { parent, by } of parentsOf(records)) {
    const wanted = done.map((draft) => meant(draft, parent, by));
    const known = await find(
      service,
      parent,
      wanted.filter((one) => one !== undefined),
    );
    done = done.map((draft, at) => {
      const named = wanted[at];
      return named
        ? placed(draft, named, known.get(named.by)?.get(comparable(named)) ?? [])
        : draft;
    });
  }
  return done;
}

/**
 * The upsert of a deal finds its contact by itself, or creates it from the row: only what was given as an
 * attribute is looked for.
 */
export function describingContact(draft: Draft): Draft {
  const [describing, others] = [true, false].map((wanted) =>
    draft.named.filter(
      ({ parent, by }) => (parent === 'contact' && !attribute.test(by)) === wanted,
    ),
  );
  if (!describing?.length || !others) return draft;
  const contact = Object.fromEntries(describing.map(({ by, value }) => [by, value]));
  return { ...draft, named: others, fields: { ...draft.fields, contact_attributes: contact } };
}

/** What says best which parent a row means. */
function meant({ named }: Draft, parent: string, by: readonly string[]): Named | undefined {
  const own = named.filter((one) => one.parent === parent);
  const rank = ({ by: field }: Named) => by.findIndex((one) => field.startsWith(one));
  return own.toSorted((a, b) => rank(a) - rank(b))[0];
}

function placed(draft: Draft, { parent, by, value }: Named, found: readonly Fields[]): Draft {
  const { pipeline_id: pipeline } = draft.fields;
  const isWithin = (one: Fields) =>
    parent !== 'stage' || pipeline === undefined || String(one.pipeline_id) === String(pipeline);
  const [one, other] = found.filter(isWithin);
  if (one && !other) return { ...draft, fields: { ...draft.fields, [`${parent}_id`]: one.id } };
  const fault = one ? `is that of several: ${value}` : `must exist: ${value}`;
  return { ...draft, faults: { ...draft.faults, [`${parent}.${by}`]: [fault] } };
}

/** Records by what they are asked for by, and its value. */
async function find(
  service: Service,
  parent: string,
  wanted: readonly Named[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly Fields[]>>> {
  const found = new Map<string, Map<string, Fields[]>>();
  for (const by of new Set(wanted.map((one) => one.by))) {
    const named = wanted.filter((one) => one.by === by);
    const values = [...new Set(named.flatMap((one) => [comparable(one), one.value]))];
    const byValue = new Map<string, Fields[]>();
    for (let at = 0; at < values.length; at += mostAsked) {
      const query = { [`${by}_in`]: values.slice(at, at + mostAsked) };
      for (const record of await service.find(`${parent}s`, query)) {
        const value = comparable({ by, value: told(record, by) });
        byValue.set(value, [...(byValue.get(value) ?? []), record]);
      }
    }
    found.set(by, byValue);
  }
  return found;
}

/** As the service stores most of them; of a phone number without its country's code it alone knows that. */
function comparable({ by, value }: Pick<Named, 'by' | 'value'>): string {
  if (by === 'email') return value.toLowerCase();
  if (by === 'phone' && value.startsWith('+')) return `+${value.replaceAll(/\D/g, '')}`;
  return value;
}

function told(record: Fields, by: string): string {
  const [, key] = attribute.exec(by) ?? [];
  if (key === undefined) return String(record[by]);
  const attributes = Object.entries(record.custom_attributes ?? {});
  return String(attributes.find(([name]) => name === key)?.[1]);
}
