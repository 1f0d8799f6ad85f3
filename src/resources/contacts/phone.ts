import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

type Country = Parameters<typeof getCountryCallingCode>[0];

/** Texts that are longer hold no phone number, and are not read. */
const maxLength = 255;

/**
 * A phone number as E.164 where libphonenumber's full metadata know it as valid, otherwise the text
 * without blanks around it: the format is recommended, never required. A `+` before digits that the
 * metadata do not know stays, without what separates them. What may be a national number is never
 * taken for a foreign one.
 * @param defaultCountry ISO 3166-1 country assumed for numbers without a country code
 */
export function normalisePhone(text: string, defaultCountry: string | null): string {
  const trimmed = trim(text);
  const written = readWritten(trimmed);
  if (!written) return trimmed;
  const country = countryOf(defaultCountry);
  // `030 12345 / 030 12346`, `123456/7`: two numbers, of which neither is the whole.
  if (written.starts.some((start) => e164(start, country) !== undefined)) return trimmed;
  const phone = e164(written, country);
  if (phone !== undefined) return phone;
  return written.hasPlus && written.digits.length <= maxDigits ? `+${written.digits}` : trimmed;
}

/**
 * Whether a phone names somebody: one without any digit (`N/A`, `-`) is neither unique nor looked
 * up. `contacts_account_id_phone_key` has the same condition.
 */
export const identifies = (phone: string): boolean =>
  /[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19]/.test(phone);

/** Fewer digits say little without the 0 that people dial before them. */
const minWithoutZero = 3;

/**
 * What else a number may be stored as that somebody typed, perhaps a part of it: digits.
 * @param country of the account
 */
export function numberForms(typed: string, country: string | null): readonly string[] {
  const digits = typed.replaceAll(/\D/g, '');
  const forms: string[] = [];
  if (country !== null && digits.startsWith('0') && digits.length > minWithoutZero) {
    forms.push(digits.slice(1));
  }
  const normal = normalisePhone(typed, country);
  if (normal.startsWith('+')) forms.push(normal.slice(1));
  return forms;
}

/** The digits that E.164 allows. */
const maxDigits = 15;

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const isVisible = (character: string): boolean => /[^\s\p{Cf}]/u.test(character);

/** Without blanks and format characters around it, such as the marks of direction of contact apps. */
function trim(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > maxLength || isAscii(trimmed)) return trimmed;
  const characters = [...trimmed];
  const start = characters.findIndex(isVisible);
  return characters.slice(start, characters.findLastIndex(isVisible) + 1).join('');
}

/** A number as somebody wrote it. */
export interface WrittenPhone {
  readonly digits: string;
  readonly hasPlus: boolean;
  /** Whether nothing but digits was written. */
  readonly isBare: boolean;
}

const scheme = /^(?:tel|callto|sms|whatsapp):(?:\/\/)?/i;
/** The part of the numbering plan that a number of a `tel:` URI is in (RFC 3966, section 5.1.5). */
const context = /^(?<number>[^;+]*);phone-context=(?<prefix>\+[\d().-]+)$/i;
/** Where the code of a carrier is dialled in Brazil and elsewhere: `(0xx11)`, `0**11`. */
const carrier = /(?<!\d)0 ?\(?(?:xx|\*\*)\)?(?=[\d ().-])/i;
const number = /^(?:[ ([]*(?<plus>\+))?[\d ()[\].\-/~]*$/;

/** @returns undefined for what is no number, or more than a number */
export function readWritten(
  text: string,
): (WrittenPhone & { readonly starts: readonly WrittenPhone[] }) | undefined {
  if (text.length > maxLength) return undefined;
  const plain = plainly(text).trim().replace(scheme, '');
  const { number: local = '', prefix = '' } = context.exec(plain)?.groups ?? {};
  const whole = (prefix === '' ? plain : prefix + local).replace(carrier, '0').trim();
  const match = number.exec(whole.replaceAll(/\s/g, ' '));
  if (!match || !/\d/.test(whole)) return undefined;
  const hasPlus = match.groups?.plus === '+';
  const from = (part: string): WrittenPhone => ({
    digits: part.replaceAll(/\D/g, ''),
    hasPlus,
    isBare: /^\d+$/.test(part),
  });
  const ends = [...whole.matchAll(/[/~\t\r\n]/g)].slice(0, 3).map(({ index }) => index);
  return { ...from(whole), starts: ends.map((end) => from(whole.slice(0, end))) };
}

/** The text with the ASCII forms of digits, signs and dashes, and without format characters. */
const plainly = (text: string): string =>
  isAscii(text) ? text : Array.from(text.replaceAll(/\p{Cf}/gu, ''), plainOf).join('');

function plainOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character;
  if (/\p{Nd}/u.test(character)) return String(digitOf(code));
  if (/[\p{Pd}\u2043\u2212\u30fc]/u.test(character)) return '-';
  if (/[\u2053\u223c]/u.test(character)) return '~';
  if (character === '\ufe62') return '+';
  // Full width.
  return code > 0xff00 && code < 0xff5f ? String.fromCodePoint(code - 0xfee0) : character;
}

/** Unicode has the ten digits of each script one behind the other. */
function digitOf(code: number): number {
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
}

function e164(written: WrittenPhone, country?: Country): string | undefined {
  const { digits, hasPlus } = written;
  if (hasPlus) return existing(`+${digits}`);
  const local = country && inCountry(digits, country);
  if (local) return local;
  if (digits.startsWith('00')) return existing(`+${digits.slice(2)}`);
  return !country && readsCode(written) ? existing(`+${digits}`) : undefined;
}

/**
 * Whether digits are so many that they must begin with the code of a country. Eleven are what people
 * write within some, and those of North America with its code.
 */
export const readsCode = ({ digits, isBare }: WrittenPhone): boolean =>
  isBare && (digits.length > 11 || /^1\d{10}$/.test(digits));

const countryOf = (code: string | null): Country | undefined =>
  code !== null && isSupportedCountry(code) ? code : undefined;

/** The calling code of a country; undefined where there is no such country. */
export function codeOf(country: string | null): string | undefined {
  const known = countryOf(country);
  return known && getCountryCallingCode(known);
}

/**
 * As somebody there writes it: a number of that country, or one behind an international prefix of
 * that country, some of which begin with 00 as well.
 */
function inCountry(digits: string, country: Country): string | undefined {
  const code = getCountryCallingCode(country);
  const ofOwn = digits.startsWith(`00${code}`) ? existing(`+${digits.slice(2)}`) : undefined;
  if (ofOwn) return ofOwn;
  const local = existing(digits, country);
  const withCode = digits.startsWith(code) ? existing(`+${digits}`) : undefined;
  if (!withCode || !local || withCode === local) return local ?? withCode;
  // Where lengths differ, the metadata also know numbers that begin with the country's code. Where
  // people write a prefix before national numbers, what lacks it is the code.
  const written = parsePhoneNumberFromString(local)?.formatNational().replaceAll(/\D/g, '');
  return written === digits ? local : withCode;
}

/** A Brazilian mobile number as messengers write it, without the digit that all begin with. */
const withoutNinth = /^([1-9]{2})([6-9]\d{7})$/;
/** A Mexican number as it was dialled from abroad until 2019, and messengers still write it. */
const withOne = /^1(\d{10})$/;

/** Numbers that were looked up a moment ago: an upsert reads a phone twice. */
const lookedUp = new LRUCache<string, { readonly number: string | undefined }>({ max: 500 });

/**
 * @param digits with a `+`, or as somebody writes them in the country
 * @returns E.164 of a number that the metadata know as valid; undefined for any other
 */
export function existing(digits: string, country?: Country): string | undefined {
  const key = `${digits} ${country ?? ''}`;
  let formats = lookedUp.get(key);
  if (!formats) {
    formats = { number: lookUp(digits, country) };
    lookedUp.set(key, formats);
  }
  return formats.number;
}

function lookUp(digits: string, defaultCountry: Country | undefined): string | undefined {
  const phone = parsePhoneNumberFromString(digits, {
    extract: false,
    ...(defaultCountry ? { defaultCountry } : {}),
  });
  if (!phone) return undefined;
  const { countryCallingCode: code, nationalNumber: national } = phone;
  const current =
    code === '55'
      ? national.replace(withoutNinth, '$19$2')
      : code === '52'
        ? national.replace(withOne, '$1')
        : national;
  if (current !== national) return existing(`+${code}${current}`);
  return phone.isValid() ? phone.number : undefined;
}
