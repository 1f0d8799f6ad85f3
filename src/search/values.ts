/** Reading the values that clients send as the kind of value that a condition needs. */

import type { ColumnKind } from '../db/sql/shape.ts';
import { raw, type Sql } from '../db/sql/sql.ts';
import { unstorable } from '../db/sql/storable.ts';
import type { FieldCode } from '../errors/codes.ts';
import { LongNumber } from '../json/json.ts';
import { readInteger } from '../lib/integer.ts';
import { toNfc } from '../lib/nfc.ts';
import type { Predicate, Value } from './predicate.ts';
import { limits } from './search.ts';
import { readTime } from './time.ts';

/** Why a value cannot be read. */
export class Unreadable {
  readonly message: string;
  readonly code: FieldCode;

  constructor(message: string, code: FieldCode = 'invalid') {
    this.message = message;
    this.code = code;
  }
}

/** A plain object, unlike the instances that stand for numbers of too many digits. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A list, or an object with numbers as keys, as forms send it. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  return Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : undefined;
}

/** Whether a value asks for nothing: forms send fields that were left empty. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return /^\p{White_Space}*$/u.test(value);
  // A list that is too long is reported where it is read.
  if (Array.isArray(value)) return value.length <= limits.values && value.every(isBlank);
  return isObject(value) && Object.keys(value).length === 0;
}

/** A text without ASCII white space at its ends. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13);

/** The text, when PostgreSQL can look for it. */
export function storable(text: string): string | Unreadable {
  const reason = unstorable(text);
  return reason === undefined ? text : new Unreadable(reason);
}

/** What is said of a text that is longer than any that could be found, and is not even read. */
export const tooLong = 'is longer than any text that a record may hold';

/** The message for a list that is too long, which is not even read. */
export const tooMany = (what: string): string =>
  `has more than ${limits.values.toLocaleString('en')} ${what}`;

/**
 * Reads the value of a key.
 * @param sent not blank
 * @returns the values, at least one; exactly one where the predicate takes no list
 */
export function readValues(
  sent: unknown,
  predicate: Predicate,
  kind: ColumnKind,
): readonly Value[] | Unreadable {
  const list = predicate.takes === 'list';
  if (Array.isArray(sent) && !list) return new Unreadable('takes one value, not a list');
  const elements: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (elements.length > limits.values) return new Unreadable(tooMany('values'), 'too_many');
  const read = predicate.takes === 'flag' ? readBoolean : kinds[kind].read;
  const values: Value[] = [];
  for (const element of elements) {
    if (element === null || element === '') continue;
    const value = read(element, predicate);
    if (value instanceof Unreadable) return value;
    values.push(value);
  }
  return values;
}

type ValueReader = (sent: unknown, predicate: Predicate) => Value | Unreadable;

const readBoolean: ValueReader = (sent) => {
  if (typeof sent !== 'object' && /^(true|1|t|T|TRUE)$/.test(String(sent))) return true;
  if (typeof sent !== 'object' && /^(false|0|f|F|FALSE)$/.test(String(sent))) return false;
  return new Unreadable('is not a boolean');
};

const readWhole: ValueReader = (sent) => {
  const number = readInteger(sent);
  if (Number.isFinite(number)) return number;
  if (Number.isNaN(number)) return new Unreadable('is not an integer');
  return new Unreadable('is out of range', number < 0 ? 'too_small' : 'too_large');
};

/** In the form in which texts of one line are stored (NFC, UAX 15). */
const readText: ValueReader = (sent, { live }) => {
  const isLong = sent instanceof LongNumber;
  if (!isLong && (typeof sent === 'object' || sent === undefined)) {
    return new Unreadable('is not a text');
  }
  const text = isLong ? sent.text : String(sent);
  if (text.length > limits.text) return new Unreadable(tooLong, 'too_long');
  if (live && endsInEscape(text))
    return new Unreadable('ends with a backslash that escapes nothing');
  return storable(toNfc(text));
};

/** Whether the last backslash of a pattern is not itself escaped. */
function endsInEscape(pattern: string): boolean {
  let backslashes = 0;
  while (pattern[pattern.length - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

const readTimestamp: ValueReader = (sent) =>
  (typeof sent === 'string' ? readTime(sent) : undefined) ??
  new Unreadable('is not an ISO 8601 time, such as 2026-03-01 or 2026-03-01T10:00:00Z');

/** What a search knows of each kind of column. */
export const kinds: Readonly<
  Record<ColumnKind, { readonly noun: string; readonly type: Sql; readonly read: ValueReader }>
> = {
  boolean: { noun: 'a boolean', type: raw('boolean'), read: readBoolean },
  integer: { noun: 'an integer', type: raw('bigint'), read: readWhole },
  json: { noun: 'an object', type: raw('text'), read: readText },
  labels: { noun: 'labels', type: raw('text'), read: readText },
  text: { noun: 'a text', type: raw('text'), read: readText },
  timestamp: { noun: 'a time', type: raw('timestamptz'), read: readTimestamp },
};

/** Kinds of column that hold one value. */
const single: readonly ColumnKind[] = ['integer', 'text', 'timestamp', 'boolean'];

/** Kinds of column that every comparison can be asked of; of labels, of each by itself. */
export const every: readonly ColumnKind[] = [...single, 'labels'];
