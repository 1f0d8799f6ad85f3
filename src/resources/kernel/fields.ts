/**
 * Reading the fields of a request, by the same rules for all resources. A field turns what a client
 * sent into what is stored, or reports what is wrong with it.
 */

import { unstorable } from '../../db/storable.ts';
import type { Faults } from '../../errors.ts';
import { asId, readInteger } from '../../integer.ts';
import { isJsonObject, LongNumber, sourceOf } from '../../json.ts';

/** Reads one field. */
export interface Field<T> {
  /** Returns the value, or reports a message and returns undefined. Never given null. */
  read(value: unknown, report: (message: string) => void): T | undefined;
  /** The value that null sets; a message when the field cannot be cleared. */
  readonly cleared: { readonly value: T } | { readonly message: string };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values that were sent and could be read; the others are absent. */
export type Sent<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never;
};

/**
 * Reads the fields that the input has. Unknown ones are ignored, so that a fetched record can be
 * sent back.
 * @param prefix put before the field's name in messages (`contact_attributes.`)
 */
export function readFields<F extends Fields>(
  input: Readonly<Record<string, unknown>>,
  fields: F,
  faults: Faults,
  prefix = '',
): Sent<F> {
  const sent: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    if (value === undefined) continue;
    const report = (message: string) => faults.add(prefix + name, message);
    if (value !== null) {
      const read = field.read(value, report);
      if (read !== undefined) sent[name] = read;
    } else if ('message' in field.cleared) {
      report(field.cleared.message);
    } else {
      sent[name] = field.cleared.value;
    }
  }
  return sent as Sent<F>;
}

/** The same for a new record: also reports required fields that are missing. */
export function readNew<F extends Fields>(
  input: Readonly<Record<string, unknown>>,
  fields: F,
  faults: Faults,
): Sent<F> {
  const sent = readFields(input, fields, faults);
  for (const name of Object.keys(fields)) {
    const cleared = sent[name] === undefined ? fields[name]?.cleared : undefined;
    if (cleared && 'message' in cleared && !faults.has(name)) faults.add(name, cleared.message);
  }
  return sent;
}

export const largest = Number.MAX_SAFE_INTEGER;

const isStorable = (text: string): boolean => unstorable(text) === undefined;

/** Counts characters as the database does, by code point. */
const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > most * 2 || [...text].length > most);

/** A text; `normalise` is applied before its length is checked. */
export function text(
  options: {
    most?: number;
    normalise?: (text: string) => string;
    check?: (text: string) => string | undefined;
  } = {},
): Field<string> {
  const { most = 255, normalise, check } = options;
  return {
    cleared: { value: '' },
    read(value, report) {
      if (typeof value !== 'string') return void report('must be a string');
      if (!isStorable(value)) return void report('has characters that cannot be stored');
      const normal = normalise ? normalise(value) : value;
      if (isLonger(normal, most)) return void report(`is too long (maximum is ${most} characters)`);
      const wrong = check?.(normal);
      return wrong === undefined ? normal : void report(wrong);
    },
  };
}

/** A text of many lines. */
export const longText = text({ most: 65_535 });

/** A name, which must not be blank. */
export const nameField: Field<string> = {
  ...text({
    normalise: (name) => name.trim(),
    check: (name) => (name === '' ? "can't be blank" : undefined),
  }),
  cleared: { message: "can't be blank" },
};

/** The same field, where null asks for the record's own default. */
export const orDefault = <T>(field: Field<T>): Field<T | null> => ({
  ...field,
  cleared: { value: null },
});

/** One of a few texts; null stands for the first. */
export function oneOf<T extends string>(values: readonly [T, ...T[]]): Field<T> {
  return {
    cleared: { value: values[0] },
    read(value, report) {
      const found = values.find((known) => known === value);
      return found ?? void report('is not included in the list');
    },
  };
}

const readNumber = (value: unknown): number =>
  readInteger(value instanceof LongNumber ? (value.exact() ?? value.text) : value);

/** An integer from `least` to 2^53-1; null stands for `cleared`, or is refused without one. */
export function integer(options: { least: number; cleared?: number }): Field<number> {
  const { least, cleared } = options;
  return {
    cleared: cleared === undefined ? { message: "can't be blank" } : { value: cleared },
    read(value, report) {
      const number = readNumber(value);
      if (Number.isNaN(number)) return void report('must be an integer');
      if (!Number.isFinite(number)) {
        return void report(`must be an integer from ${least} to ${largest}`);
      }
      if (number < least) return void report(`must be greater than or equal to ${least}`);
      return number;
    },
  };
}

/** The id of another record of the account. An integer that cannot be an id refers to nothing. */
export const reference: Field<number> = {
  cleared: { message: 'must exist' },
  read(value, report) {
    if (Number.isNaN(readNumber(value))) return void report('must be an integer');
    return asId(readNumber(value)) ?? void report('must exist');
  },
};

export const flag: Field<boolean> = {
  cleared: { value: false },
  read: (value, report) => {
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return void report('must be true or false');
  },
};

const isoTime = /^(\d{4}-\d\d-\d\dT)(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:Z|[+-]00:?00)$/;

/** A moment in UTC to the millisecond, as ISO 8601 text; null when unset. */
export const timestamp: Field<string | null> = {
  cleared: { value: null },
  read(value, report) {
    const parts = typeof value === 'string' ? isoTime.exec(value) : null;
    if (parts) {
      const [, day, minutes, seconds = ':00', fraction = '.000'] = parts;
      const milliseconds = `${fraction}00`.slice(0, 4);
      const text = `${day}${minutes}${seconds}${milliseconds}Z`;
      const moment = new Date(text);
      // A day beyond the month's end would roll over, and PostgreSQL has no year 0.
      const exists = !Number.isNaN(moment.getTime()) && moment.toISOString() === text;
      if (exists && !text.startsWith('0000')) return text;
    }
    return void report('must be an ISO 8601 time in UTC, such as 2026-03-01T10:00:00Z');
  },
};

const attributesLimit = 64 * 1024;

/**
 * A free-form object, as the JSON text that was sent. Of a repeated key the last value is kept, in
 * the place of the first.
 */
export const attributes: Field<string> = {
  cleared: { value: '{}' },
  read(value, report) {
    if (!isJsonObject(value)) return void report('must be an object');
    const source = sourceOf(value);
    if (Buffer.byteLength(source) > attributesLimit) {
      return void report(`is too large (maximum is ${attributesLimit} bytes)`);
    }
    // Only an escape can smuggle in what the database cannot store. The check parses the very text
    // that is stored, rather than trust a value that should equal it.
    if (/\\u(0000|d[89a-f])/i.test(source) && !isStorableJson(JSON.parse(source))) {
      return void report('has characters that cannot be stored');
    }
    return source;
  },
};

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner));
}

/** The fields of an operation, as the client sent them. */
export type Input = Readonly<Record<string, unknown>>;
