/**
 * How the fields of a request are read: the rules of the wire, one place for all resources. A
 * reader turns what a client sent into what is stored, or says what is wrong with it.
 */

import { unstorable } from '../../db/storable.ts';
import type { Faults } from '../../errors.ts';
import { asId, readInteger } from '../../integer.ts';
import { isJsonObject, LongNumber, sourceOf } from '../../json.ts';

/** Reads one field. */
export interface Field<T> {
  /** Returns the value, or reports a message and returns undefined. Never given null. */
  read(value: unknown, report: (message: string) => void): T | undefined;
  /** What null, the wish to clear the field, stands for; a message where it cannot be cleared. */
  readonly cleared: { readonly value: T } | { readonly message: string };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What was sent and could be read; what was left out is not there. */
export type Sent<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never;
};

/**
 * Reads every field that the input has; others are ignored, so that a fetched record can be sent
 * back.
 * @param input an object, as the door has checked
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

/** The same for a record that is to be created: also reports what it cannot do without. */
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

/** Characters as the database counts them, which is by code point. */
const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > most * 2 || [...text].length > most);

/** A text; `normalise` is applied before its length is judged. */
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

/** A name that must say something. */
export const nameField: Field<string> = {
  ...text({
    normalise: (name) => name.trim(),
    check: (name) => (name === '' ? "can't be blank" : undefined),
  }),
  cleared: { message: "can't be blank" },
};

/** The same field where null asks for what the record would have by itself. */
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

/** The id of another record of the account; one that can be no id cannot exist. */
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

/** A moment in UTC, kept to the millisecond, as an ISO 8601 text; null where it is unset. */
export const timestamp: Field<string | null> = {
  cleared: { value: null },
  read(value, report) {
    const parts = typeof value === 'string' ? isoTime.exec(value) : null;
    if (parts) {
      const [, day, minutes, seconds = ':00', fraction = '.000'] = parts;
      const milliseconds = `${fraction}00`.slice(0, 4);
      const text = `${day}${minutes}${seconds}${milliseconds}Z`;
      const moment = new Date(text);
      // A day that the month does not have rolls over, and the year 0 is none in PostgreSQL.
      const exists = !Number.isNaN(moment.getTime()) && moment.toISOString() === text;
      if (exists && !text.startsWith('0000')) return text;
    }
    return void report('must be an ISO 8601 time in UTC, such as 2026-03-01T10:00:00Z');
  },
};

const attributesLimit = 64 * 1024;

/**
 * A free-form object, as the JSON text that was sent. A key that was sent twice is kept once, with
 * the last value in the place of the first.
 */
export const attributes: Field<string> = {
  cleared: { value: '{}' },
  read(value, report) {
    if (!isJsonObject(value)) return void report('must be an object');
    const source = sourceOf(value);
    if (Buffer.byteLength(source) > attributesLimit) {
      return void report(`is too large (maximum is ${attributesLimit} bytes)`);
    }
    // Only an escape can bring in what the database cannot store. What is looked at is the text that
    // is stored, and not a value that should be the same.
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
