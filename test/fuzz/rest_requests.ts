/** Valid requests of the REST interface, made from what the document says of an operation. */
import { type Draft, draftOf } from './draft.ts';
import {
  type BatchFields,
  type Field,
  nameOf,
  type Operation,
  subjectOf,
  typeOfParameter,
} from './operations.ts';
import type { Pool } from './pool.ts';
import type { Random } from './random.ts';
import { type Raw, type RawObject, rawObject, rawOf } from './raw_json.ts';
import { brackets, query } from './searches.ts';
import { fieldValue, ruledValue } from './values.ts';

export interface Account {
  readonly id: number;
  readonly pool: Pool;
  /** Whether requests for an operation are known to be done, so that one that is not owes that to a change. */
  readonly isProven: (name: string) => boolean;
}

/** A request that is most likely done, and its body before it is written. */
export interface Valid {
  readonly draft: Draft;
  readonly body: Raw | undefined;
}

export function validRequest(random: Random, operation: Operation, { id, pool }: Account): Valid {
  const { method, template, searches } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(name === 'account_id' ? id : idIn(random, operation, name, pool)),
  );
  const draft = draftOf({ name: nameOf(operation), operation, method, path });
  if (searches === undefined) {
    draft.search = operation.required
      .map((name) => `${name}=${encodeURIComponent(String(ruledValue(random, name, pool)))}`)
      .join('&');
    return { draft, body: bodyOf(random, operation, pool) };
  }
  const search = { query: query(random, searches), ...pageOf(random) };
  if (method !== 'GET') return { draft, body: rawOf(search) };
  draft.search = Object.entries(search)
    .flatMap(([name, value]) => brackets(value, name))
    .join('&');
  return { draft, body: undefined };
}

const idIn = (random: Random, { id, template }: Operation, name: string, pool: Pool): number =>
  pool.subject(random, id, typeOfParameter(template, name));

/** The body of an operation that does not search; undefined where it has none. */
export function bodyOf(random: Random, operation: Operation, pool: Pool): RawObject | undefined {
  const { method, fields, records } = operation;
  const type = subjectOf(operation);
  if (records) return batchOf(random, records, type, pool);
  return fields && inputOf(random, fields, { updates: method !== 'POST', type }, pool);
}

/** What a request for many records holds: what is done, and to which. */
function batchOf(random: Random, records: BatchFields, type: string, pool: Pool): RawObject {
  const [verb, fields] = random.pick([...records]);
  const updates = verb === 'update' || verb === 'delete';
  const items = random.many(1, 4, () => inputOf(random, fields, { updates, type }, pool));
  return rawObject({
    operation: JSON.stringify(verb),
    records: { items },
    ...(random.chance(0.5) ? { atomic: random.pick(['true', 'false']) } : {}),
    ...(random.chance(0.1) ? { dry_run: 'true' } : {}),
  });
}

export const pageOf = (random: Random): Readonly<Record<string, unknown>> => ({
  ...(random.chance(0.3) ? { page: random.pick<unknown>([1, 2, '3', 1000]) } : {}),
  ...(random.chance(0.3) ? { per_page: random.pick<unknown>([1, 7, '10', 100]) } : {}),
});

/** What a body is for. */
export interface Purpose {
  /** Whether it is about a record that is there, and need not have all that a new one has. */
  readonly updates: boolean;
  /** The type of the record that the request names, if it names one. */
  readonly type: string;
}

/** The fields of a body: those that the document's example has, and some of the others. */
export function inputOf(
  random: Random,
  fields: readonly Field[],
  { updates, type }: Purpose,
  pool: Pool,
): RawObject {
  const chosen = fields.filter(({ name, usual }) => {
    if (name === 'id') return true;
    if (name.startsWith('password')) return !updates;
    // What refers to a record is mostly required, and decided with it otherwise.
    if (name.endsWith('_id')) return random.chance(updates ? 0.2 : usual ? 0.98 : 0.05);
    return random.chance(usual && !updates ? 0.9 : 0.3);
  });
  const body: RawObject = {
    entries: chosen.map((field) => [
      JSON.stringify(field.name),
      fieldValue(random, field, type, pool),
    ]),
  };
  agree(body, pool);
  return body;
}

/** Makes a body name what the records that it refers to refer to: a stage's pipeline beside it. */
function agree({ entries }: RawObject, pool: Pool): void {
  for (const [key, value] of entries) {
    const type = /^"(\w+)_id"$/.exec(key)?.[1];
    const id = Number(String(value).replaceAll('"', ''));
    const record = type === undefined ? undefined : pool.record(type, id);
    for (const entry of entries) {
      const name = entry[0].slice(1, -1);
      if (record && name.endsWith('_id') && record[name] !== undefined) {
        entry[1] = String(record[name]);
      }
    }
  }
}
