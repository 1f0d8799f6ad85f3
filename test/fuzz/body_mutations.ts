/** What is done to bodies: to the JSON, and to its text. */
import type { Pool } from './pool.ts';
import type { Random } from './random.ts';
import { objectsIn, placesIn, type Raw, type RawObject, rawObject, writeRaw } from './raw_json.ts';
import { freeValue, hostile, text, unstorable } from './values.ts';

type Mutation = (random: Random, body: RawObject, pool: Pool) => void;

const names = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'id',
  'account_id',
  'query',
  'created_at',
];

const replaceOne: Mutation = (random, body) => {
  const places = placesIn(body);
  if (places.length > 0) random.pick(places).set(hostile(random));
};

/** Only what is shown beside the others: most faults come alone. */
const replaceField: Mutation = (random, body) => {
  if (body.entries.length > 0) random.pick(body.entries)[1] = hostile(random);
};

/** Another id: of the other account, of no record, of none that could be. */
const replaceId: Mutation = (random, body, pool) => {
  const ids = placesIn(body).filter(({ key }) => /_?id"$/.test(key ?? ''));
  if (ids.length === 0) return;
  const { key = '', set } = random.pick(ids);
  const type = key.slice(1, -1).replace(/_id$/, '');
  set(
    random.pick([
      String(pool.foreign(random, type)),
      String(pool.foreign(random, type)),
      ...['0', '-1', '999999999', '9007199254740991', '9223372036854775808', '"1 "', '1e3'],
    ]),
  );
};

/** `"a"` as `"\u0061"`: the same key, spelt otherwise. */
const respelt = (key: string): string =>
  key.replace(/^"(\w)/, (_, first: string) => {
    const code = first.charCodeAt(0).toString(16).padStart(4, '0');
    return `"\\u${code}`;
  });

const duplicate: Mutation = (random, body) => {
  const filled = objectsIn(body).filter(({ entries }) => entries.length > 0);
  if (filled.length === 0) return;
  // Those of an object within are not decided by the reading of fields.
  const within = filled.length > 1 && random.chance(0.7) ? filled.slice(1) : filled;
  const { entries } = random.pick(within);
  const [key, value] = random.pick(entries);
  const other = random.among<Raw>([
    [1, () => hostile(random)],
    [1, () => freeValue(random)],
    [1, () => unstorable(random)],
    [1, () => value],
  ]);
  const at = random.below(entries.length + 1);
  entries.splice(at, 0, [random.chance(0.3) ? respelt(key) : key, other]);
};

const remove: Mutation = (random, body) => {
  const filled = objectsIn(body).filter(({ entries }) => entries.length > 0);
  if (filled.length === 0) return;
  const { entries } = random.pick(filled);
  entries.splice(random.below(entries.length), 1);
};

const add: Mutation = (random, body) => {
  const key = random.among([
    [3, () => JSON.stringify(random.pick(names))],
    [1, () => JSON.stringify(text(random, 20))],
    [1, () => random.pick([String.raw`"\ud800"`, String.raw`"\u0000"`, `"${'k'.repeat(70_000)}"`])],
  ]);
  random.pick(objectsIn(body)).entries.push([key, hostile(random)]);
};

const mutations: readonly (readonly [number, Mutation])[] = [
  [2, replaceOne],
  [4, replaceField],
  [2, replaceId],
  [3, duplicate],
  [1, remove],
  [1.5, add],
];

export function mutateBody(random: Random, body: RawObject, pool: Pool): void {
  random.among(mutations.map(([weight, mutation]) => [weight, () => mutation] as const))(
    random,
    body,
    pool,
  );
}

const bytesOf = (body: string, ...more: number[]) =>
  Buffer.concat([Buffer.from(body), Buffer.from(more)]);

/** The text of a body that is no JSON object any more, or one in a strange guise. */
export function spoil(random: Random, body: Raw): Buffer {
  const whole = writeRaw(body);
  return random.among<Buffer>([
    [2, () => Buffer.from(whole.slice(0, random.below(whole.length)))],
    [1, () => Buffer.from(`[${whole}]`)],
    [1, () => Buffer.from(writeRaw(rawObject({ contact: body })))],
    [1, () => Buffer.from(JSON.stringify(whole))],
    [1, () => Buffer.from(random.pick(['null', '1', '""', '', ' ', '[]', 'NaN', '{}{}', '{,}']))],
    [1, () => Buffer.from(`${random.pick(['\ufeff', '  \n\t', '\u00a0', '//\n'])}${whole}`)],
    [1, () => Buffer.from(whole.replaceAll('"', "'"))],
    [1, () => Buffer.from(whole, 'utf16le')],
    [1, () => bytesOf(whole.slice(0, -1), 0xff, 0x7d)],
    [1, () => bytesOf('{"name":"', 0xed, 0xa0, 0x80, 0x22, 0x7d)],
    [0.5, () => Buffer.from('['.repeat(random.pick([1000, 1001, 100_000])))],
    [0.3, () => Buffer.from(`{"name":"${'x'.repeat(1_048_570)}"}`)],
    [0.3, () => Buffer.from(`{"name":${' '.repeat(random.pick([1000, 1_040_000]))}"x"}`)],
  ]);
}
