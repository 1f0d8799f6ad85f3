/** The kinds of field that inputs have. */

import { domainToASCII } from 'node:url';
import { unstorable } from '../../../db/sql/storable.ts';
import {
  atLeast,
  atMost,
  blank,
  coded,
  mustExist,
  notInList,
  type Problem,
} from '../../../errors/codes.ts';
import { LongNumber } from '../../../json/json.ts';
import { asId, readInteger } from '../../../lib/integer.ts';
import { toNfc } from '../../../lib/nfc.ts';
import type { Field } from './input.ts';
import { singleLine } from './single_line.ts';

export const largest = Number.MAX_SAFE_INTEGER;

/** Counts characters as the database does, by code point. */
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > max * 2 || codePointsIn(text) > max);

/** Makes no list of them, which takes milliseconds of a text of 65,535. */
function codePointsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += Number(text.codePointAt(at)) > 0xffff ? 2 : 1) count++;
  return count;
}

/**
 * The text that a value is: a JSON number that is an integer stands for its digits, as scripts send
 * codes and phone numbers.
 */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof LongNumber && /^-?\d+$/.test(value.text)) return value.text;
  const number = value instanceof LongNumber ? value.exact() : value;
  return Number.isInteger(number) ? BigInt(Number(number)).toString() : undefined;
}

/**
 * How much longer than its limit a text may be sent, in UTF-16 units for each character: white space around it
 * and marks that compose with their letters do not count once it is normalised. What is longer cannot be meant,
 * and nothing looks at it, because few things that one does to a text take a time in proportion to its length.
 */
const unnormalised = 4;

/**
 * A text of a single line, or one that stays `verbatim`. `normalise` is applied before its characters are
 * counted, and neither it nor `check` is ever given more than four times as many UTF-16 units as the text may
 * have characters.
 * @param options.max characters (code points), 255 unless given
 */
export function text(
  options: {
    max?: number;
    verbatim?: boolean;
    normalise?: (text: string) => string;
    check?: (text: string) => Problem | undefined;
  } = {},
): Field<string> {
  const { max = 255, verbatim = false, normalise, check } = options;
  const tooLong = coded('too_long', `is too long (maximum is ${max} characters)`);
  return {
    cleared: { value: '' },
    limits: { maxLength: max },
    read(value, report) {
      const source = asText(value);
      if (source === undefined) return void report('must be a string');
      if (source.length > max * unnormalised) return void report(tooLong);
      if (unstorable(source) !== undefined)
        return void report('has characters that cannot be stored');
      const written = normalise ? normalise(source) : source;
      const normal = verbatim ? written : singleLine(written);
      if (isLonger(normal, max)) return void report(tooLong);
      const wrong = check?.(normal);
      return wrong === undefined ? normal : void report(wrong);
    },
  };
}

/** A text of many lines, in NFC, in which searches look for it. */
export const longText = text({ max: 65_535, verbatim: true, normalise: toNfc });

/** The same field, which cannot be cleared. */
export const required = <T>(field: Field<T>): Field<T> => ({
  ...field,
  cleared: { message: blank },
});

/** A name, which must not be blank. */
export const nameField = required(
  text({
    normalise: (name) => name.trim(),
    check: (name) => (name === '' ? blank : undefined),
  }),
);

/** The name of a person, with one space between its words; it may be blank. */
export const fullNameField = text({ normalise: (name) => name.trim().replace(/\s+/g, ' ') });

/** The pattern that HTML gives for `<input type=email>`. */
const emailPattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** A domain that may be in any script, and nothing else. */
const domainInAnyScript = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/u;

/** One whose ASCII form it is itself: no label is encoded, and none is a number, as the last of an address may be. */
const plainDomain = /^(?!xn--)[a-z][a-z0-9-]*(?:\.(?!xn--)[a-z][a-z0-9-]*)*$/;

/** With the domain in its ASCII form (IDNA), the one that mail is sent by and that is unique. */
function inAscii(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (at === 0 || plainDomain.test(domain) || !domainInAnyScript.test(domain)) return email;
  const ascii = domainToASCII(domain);
  return ascii === '' ? email : email.slice(0, at) + ascii;
}

/** An e-mail address, trimmed and in lower case; blank when unset. */
export const emailField = text({
  normalise: (email) => inAscii(email.trim().toLowerCase()),
  check: (email) => (email === '' || emailPattern.test(email) ? undefined : 'is invalid'),
});

/** A text that is null where it is blank or unset. */
export const blankAsNull = (field: Field<string>): Field<string | null> => ({
  ...(field.limits && { limits: field.limits }),
  cleared: { value: null },
  read: (value, report) => {
    const string = field.read(value, report);
    return string === '' ? null : string;
  },
});

/** The same field, where null asks for the record's own default. */
export const orDefault = <T>(field: Field<T>): Field<T | null> => ({
  ...field,
  cleared: { value: null },
});

/** One of a few texts; null stands for the first. */
export function oneOf<T extends string>(values: readonly [T, ...T[]]): Field<T> {
  return {
    values,
    cleared: { value: values[0] },
    read(value, report) {
      const match = values.find((known) => known === value);
      return match ?? void report(notInList(values));
    },
  };
}

const readNumber = (value: unknown): number =>
  readInteger(value instanceof LongNumber ? (value.exact() ?? value.text) : value);

/** An integer from `min` to `max`, or 2^53-1; null stands for `cleared`, or is refused without one. */
export function integer(options: { min: number; max?: number; cleared?: number }): Field<number> {
  const { min, max = largest, cleared } = options;
  return {
    cleared: cleared === undefined ? { message: blank } : { value: cleared },
    emptyIsNull: true,
    read(value, report) {
      const number = readNumber(value);
      if (Number.isNaN(number)) return void report('must be an integer');
      if (!Number.isFinite(number)) {
        const out = number < 0 ? 'too_small' : 'too_large';
        return void report(coded(out, `must be an integer from ${min} to ${max}`));
      }
      if (number < min) return void report(atLeast(min));
      if (number > max) return void report(atMost(max));
      return number;
    },
  };
}

/** The id of another record of the account. An integer that cannot be an id refers to nothing. */
export const reference: Field<number> = {
  cleared: { message: mustExist },
  emptyIsNull: true,
  read(value, report) {
    if (Number.isNaN(readNumber(value))) return void report('must be an integer');
    return asId(readNumber(value)) ?? void report(mustExist);
  },
};

/** The same where there may be none. */
export const optionalReference: Field<number | null> = {
  ...reference,
  cleared: { value: null },
};

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', 1, '1'].map((yes) => [yes, true] as const),
  ...[false, 'false', 0, '0'].map((no) => [no, false] as const),
]);

/** true or false, as JSON has them and as forms send them. */
export const flag: Field<boolean> = {
  cleared: { value: false },
  emptyIsNull: true,
  read: (value, report) => flags.get(value) ?? void report('must be true or false'),
};

const isoTime = /^(\d{4}-\d\d-\d\dT)(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:Z|[+-]00:?00)$/;

/** A moment in UTC to the millisecond, as ISO 8601 text; null when unset. */
export const timestamp: Field<string | null> = {
  cleared: { value: null },
  emptyIsNull: true,
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
