/** Valid requests of the REST interface, made from what the document says of an operation. */
import { type Draft, draftOf } from './draft.ts';
import { nameOf, type Operation, typeOfParameter } from './operations.ts';
import type { Pool } from './pool.ts';
import type { Random } from './random.ts';
import { type Raw, type RawObject, rawOf } from './raw_json.ts';
import { brackets, query } from './searches.ts';
import { fieldValue } from './values.ts';

export interface Account {
  readonly id: number;
  readonly pool: Pool;
}

/** A request that is most likely done, and its body before it is written. */
export interface Valid {
  readonly draft: Draft;
  readonly body: Raw | undefined;
}

export function validRequest(random: Random, operation: Operation, { id, pool }: Account): Valid {
  const { method, template, searches, fields } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(name === 'account_id' ? id : pool.one(random, typeOfParameter(template, name))),
  );
  const draft = draftOf({ name: nameOf(operation), operation, method, path });
  if (fields) {
    const updates = method !== 'POST';
    return { draft, body: inputOf(random, fields, updates, pool) };
  }
  if (searches === undefined) return { draft, body: undefined };
  const search = { query: query(random, searches), ...pageOf(random) };
  if (method !== 'GET') return { draft, body: rawOf(search) };
  draft.search = Object.entries(search)
    .flatMap(([name, value]) => brackets(value, name))
    .join('&');
  return { draft, body: undefined };
}

export const pageOf = (random: Random): Readonly<Record<string, unknown>> => ({
  ...(random.chance(0.3) ? { page: random.pick<unknown>([1, 2, '3', 1000]) } : {}),
  ...(random.chance(0.3) ? { per_page: random.pick<unknown>([1, 7, '10', 100]) } : {}),
});

/** The fields of a body: those that the document's example has, and some of the others. */
export function inputOf(
  random: Random,
  fields: NonNullable<Operation['fields']>,
  updates: boolean,
  pool: Pool,
): RawObject {
  const chosen = fields.filter(({ name, usual }) => {
    if (name.startsWith('password')) return !updates;
    // What refers to a record is mostly required, and decided with it otherwise.
    if (name.endsWith('_id')) return random.chance(updates ? 0.2 : usual ? 0.98 : 0.05);
    return random.chance(usual && !updates ? 0.9 : 0.3);
  });
  const body: RawObject = {
    entries: chosen.map(({ name, kind }) => [
      JSON.stringify(name),
      fieldValue(random, name, kind, pool),
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
