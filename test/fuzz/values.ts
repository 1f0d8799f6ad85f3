/** Values to send: texts, free JSON, and what a field of some kind may hold. */
import { createECDH } from 'node:crypto';
import { values as hostileValues } from '../kit/hostile_values.ts';
import type { Field } from './operations.ts';
import type { Pool } from './pool.ts';
import type { Random } from './random.ts';
import { type Raw, rawObject, rawOf, writeRaw } from './raw_json.ts';

const letters = [
  ...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789',
  ...' ._-@+,;:\'"\\/%$#&=?!*()[]{}<>|~^`\t\n\r',
  ...'éÉßıİſKñçαΩЖשل中字日本ไ',
  '😀',
  '👩‍👩‍👧',
  '\u0301',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\u0001',
  '\u007f',
  '\u2028',
  '\u{10ffff}',
];

const words = ['ana', 'Silva', 'or', 'and', 'null', 'true', '12', 'São Paulo', 'a_b', 'a.b', '%'];

/** A text that every field of texts can hold. */
export const text = (random: Random, max = 30): string =>
  random.among([
    [3, () => random.many(1, 3, () => random.pick(words)).join(' ')],
    [1, () => ''],
    [3, () => random.many(1, max, () => random.pick(letters)).join('')],
    [
      0.2,
      () =>
        random
          .pick(letters)
          .repeat(random.pick([126, 127, 255]))
          .slice(0, 255),
    ],
  ]);

/** Keys that free JSON uses, so that searches by key find some. */
export const freeKeys = ['city', 'a', 'b', 'a.b', 'x_or_y', '__proto__', 'constructor', 'é', '0'];

const numbers = ['0', '-0', '1', '-1', '1.0', '1e2', '12345678901234567890', '0.1', '-1.5E-7'];

/** A value of free JSON, as it may be stored. */
export function freeValue(random: Random, deep = 3): Raw {
  return random.among<Raw>([
    [4, () => JSON.stringify(text(random))],
    [3, () => random.pick(numbers)],
    [2, () => random.pick(['true', 'false', 'null', '""', '[]', '{}'])],
    [0.5, () => String.raw`"\u00e9\/\ud83d\ude00"`],
    [
      deep,
      () => (deep > 0 ? { items: random.many(0, 3, () => freeValue(random, deep - 1)) } : '[]'),
    ],
    [deep, () => (deep > 0 ? freeObject(random, deep - 1) : '{}')],
  ]);
}

/** A free-form object with each key once. */
export const freeObject = (random: Random, deep = 2): Raw =>
  rawObject(
    Object.fromEntries(
      random
        .many(0, 4, () => (random.chance(0.8) ? random.pick(freeKeys) : text(random, 10)))
        .map((key) => [key, freeValue(random, deep)]),
    ),
  );

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deeper = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const huge = (characters: number) => `"${'x'.repeat(characters)}"`;

/** JSON that a field mostly cannot hold. */
export const hostile = (random: Random): Raw =>
  random.among<Raw>([
    [12, () => random.pick(hostileValues)],
    [2, () => freeValue(random)],
    [1, () => (random.chance(0.5) ? nested : deeper)(random.pick([5, 64, 999, 1000, 1001, 5000]))],
    [1, () => huge(random.pick([255, 256, 65_534, 65_535, 65_536, 300_000]))],
    [0.5, () => `[${new Array(random.pick([100, 1001, 60_000])).fill('1').join()}]`],
    [0.5, () => `[${new Array(random.pick([100, 20_000])).fill('{}').join()}]`],
    [0.5, () => writeRaw({ items: random.many(1, 300, () => freeValue(random, 1)) })],
    [1, () => random.pick(['9007199254740991', '-9007199254740992', '"9007199254740992"', '"+1"'])],
    [1, () => unstorable(random)],
  ]);

/** What PostgreSQL has no text for. */
export const unstorable = (random: Random): Raw =>
  random.pick([
    ...[String.raw`"\ud800"`, String.raw`"\u0000"`, String.raw`["\udfff\ud800"]`],
    ...[String.raw`{"\udc00":1}`, String.raw`{"a":{"\u0000":1}}`],
  ]);

/** What kinds of fields there are, whatever the interface calls them. */
export type Kind =
  | 'integer'
  | 'time'
  | 'object'
  | 'text'
  | 'flag'
  | 'labels'
  | 'contact'
  | 'list'
  | 'ids';

const times = [
  '2026-03-01T10:00:00.123Z',
  '1999-12-31T23:59:59+00:00',
  '2024-02-29T00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '1582-10-10T12:00:00.000000001Z',
];

/** Of the users who ask, before and after they change it. */
export const password = 'correct horse battery';

/** Milliseconds: nothing that happened longer ago is sent again, for that would be all that ever did. */
const recently = 2000;

/** The fields whose rules do not follow from their kind: what is valid in them. */
const ruled: Readonly<Record<string, (random: Random, pool: Pool) => unknown>> = {
  ascending: (random) => random.chance(0.5),
  auth: () => Buffer.alloc(16, 'auth').toString('base64url'),
  avatar_url: (random) => random.pick(['', 'https://example.com/ä.png', 'http://[::1]/']),
  by: (random) => random.pick(['id', 'created_at.month', 'updated_at.day']),
  count: (random) => random.pick(['exact', 'estimate', 'none']),
  currency: (random) => random.pick(['BRL', 'EUR']),
  current_password: () => password,
  default_country: (random) => random.pick(['', 'BR', 'DE']),
  email: (random) => `U${random.below(1e9)}@Example.com`,
  endpoint: (random, pool) => `${pool.receiver}push/${random.below(30)}`,
  events: (random) => random.pick([['*'], ['contact.*', 'deal.update'], ['event.create']]),
  expires_in: (random) => random.pick(['never', '30d', '15m']),
  fill: (random) => random.chance(0.2),
  from: (random) => random.pick(['2024-02-29', '2026-03-01']),
  job_description: (random) => random.pick(['ceo', 'other', 'sales_manager']),
  kind: (random) => random.pick(['note', 'activity']),
  language: (random) => random.pick(['en', 'pt-BR', 'es', 'de']),
  list: (random) => random.pick(['contacts', 'deals', 'board', 'products']),
  of: () => 'id',
  on: (random) => random.pick(['created_at', 'updated_at']),
  p256dh: () => publicKey,
  password: () => password,
  password_confirmation: () => password,
  phone: (random) => random.pick(['', `+49151${random.between(1e7, 1e8 - 1)}`, text(random, 12)]),
  position: (random) => random.pick([1, 2, 3, '4', 1e9]),
  prefer: () => ({}),
  quantity: (random) => random.pick([1, 2, '3', 1000]),
  // Of any list.
  query: (random) => random.pick([{}, { id_gt: 0 }, { m: 'or', id_eq: 1, s: 'id desc' }]),
  q: (random) => text(random, 12),
  reassign_to: (random, pool) => pool.one(random, 'user'),
  record_type: (random) => random.pick(['contact', 'deal', 'product', 'event']),
  records: (random) => random.pick(['contacts', 'deals,events']),
  request_id: (random, pool) => pool.request(random),
  rests_after_days: (random) => random.pick([1, 30, null]),
  // Or who asks could ask nothing more.
  revoke_tokens: () => false,
  role: (random) => random.pick(['admin', 'member']),
  sort: () => 'count',
  status: (random) => random.pick(['open', 'won', 'lost']),
  time_zone: (random) => random.pick(['UTC', 'America/Sao_Paulo', 'Europe/Berlin']),
  to: (random) => random.pick(['2026-03-29', '2026-12-31']),
  url: (random, pool) => `${pool.receiver}${random.below(100)}`,
  wait: () => 0,
};

/** What a browser would give to have notifications encrypted for it: a point of P-256. */
const publicKey = createECDH('prime256v1').generateKeys('base64url');

/** A value of the field of this name, which must be one with a rule of its own. */
export const ruledValue = (random: Random, name: string, pool: Pool): unknown =>
  ruled[name]?.(random, pool);

type Rule = (random: Random, pool: Pool, type: string) => Raw;

const kinds: Readonly<Record<Kind, Rule>> = {
  integer: (random) => random.pick(['0', '1', '"7"', '19900', '123456789']),
  time: (random) => JSON.stringify(random.pick(times)),
  object: (random) => freeObject(random),
  text: (random) => JSON.stringify(text(random)),
  flag: (random) => random.pick(['true', 'false', '"true"', '"false"']),
  labels: (random) =>
    random.chance(0.5)
      ? rawOf(random.many(0, 4, () => text(random, 8)))
      : JSON.stringify(random.many(0, 3, () => text(random, 8).replaceAll('"', '')).join(', ')),
  contact: (random, pool) => rawOf({ full_name: text(random), email: ruled.email?.(random, pool) }),
  list: (random) => rawOf(random.many(0, 3, () => text(random, 8))),
  ids: (random, pool, type) => ({
    items: [...new Set(random.many(1, 2, () => String(pool.one(random, type))))],
  }),
};

/** Moments of a period, which are days elsewhere. */
const moments: Readonly<Record<string, () => Date>> = {
  from: () => new Date(Date.now() - recently),
  to: () => new Date(),
};

/**
 * What a field may hold.
 * @param type of the record that the request is about
 */
export function fieldValue(
  random: Random,
  { name, kind, values }: Omit<Field, 'usual'>,
  type: string,
  pool: Pool,
): Raw {
  if (name === 'id') return String(pool.one(random, type));
  if (random.chance(0.03) && !name.startsWith('password')) return 'null';
  const id = pool.referred(random, name);
  if (id !== undefined) return random.chance(0.2) ? `"${id}"` : String(id);
  if (values) return rawOf(kind === 'list' ? listOf(random, values) : random.pick(values));
  if (kind === 'ids') return kinds.ids(random, pool, type);
  const moment = kind === 'time' ? moments[name] : undefined;
  if (moment) return rawOf(moment().toISOString());
  const rule = ruled[name];
  return rule ? rawOf(rule(random, pool)) : kinds[kind](random, pool, type);
}

const listOf = (random: Random, values: readonly unknown[]): unknown[] =>
  random.many(1, 3, () => random.pick(values));
