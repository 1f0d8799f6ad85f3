/** Valid phone numbers of all countries, and how people, programs and telephones write them. */
import {
  type CountryCode,
  getCountries,
  getExampleNumber,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { normalisePhone } from '../../src/resources/contacts/phone.ts';
import { seeded } from '../kit/seeded.ts';

export interface Phone {
  readonly country: CountryCode;
  readonly number: PhoneNumber;
  /** The same as E.164, which is how it is to be stored. */
  readonly e164: string;
}

/**
 * Numbers that the library knows as valid: its examples of mobile numbers, and what these become
 * with other digits.
 * @param count how many; the same ones for the same seed
 */
export function phonesOf(seed: number, count: number): readonly Phone[] {
  const below = seeded(seed);
  const countries = getCountries();
  const found = new Map<string, Phone>();
  for (let round = 0; found.size < count; round += 1) {
    for (const country of countries) {
      const example = getExampleNumber(country, examples);
      if (!example) throw new Error(`there is no example of ${country}`);
      const text = round === 0 ? example.number : varied(example.number, below);
      const number = parsePhoneNumberFromString(text);
      if (!number?.isValid() || number.number !== text || withoutNinth.test(text)) continue;
      if (found.size < count) {
        found.set(text, { country: number.country ?? country, number, e164: text });
      }
    }
  }
  return [...found.values()];
}

/** What the library knows of Brazil are mobile numbers, too, from before their ninth digit. */
const withoutNinth = /^\+55[1-9]{2}7\d{7}$/;

/** With another digit behind the country's code for one to all of those that there are. */
function varied(number: string, below: (end: number) => number): string {
  const from = 2 + below(number.length - 2);
  return number.slice(0, from) + number.slice(from).replaceAll(/\d/g, () => String(below(10)));
}

/** Whether that is dialled in a country before numbers of others. */
function isPrefix(digits: string, country: CountryCode): boolean {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  if (!metadata.numberingPlan) throw new Error(`${country} has no numbering plan`);
  return new RegExp(`^(?:${metadata.numberingPlan.IDDPrefix()})$`).test(digits);
}

/** What may be dialled before numbers of other countries; each country has one of these. */
const prefixes = [
  '00',
  '011',
  '001',
  '002',
  '0011',
  '0014',
  '000',
  '119',
  '810',
  '009',
  '010',
  '0',
];

const inFullWidth = (text: string): string =>
  text.replaceAll(/[!-~]/g, (c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0));

const inArabic = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));

/** How a number is written so that everybody knows whose it is. */
export const international: Readonly<Record<string, (phone: Phone) => string>> = {
  'E.164': ({ e164 }) => e164,
  'in groups': ({ number }) => number.formatInternational(),
  'behind 00': ({ e164 }) => `00${e164.slice(1)}`,
  'a link': ({ number }) => `tel:${number.formatInternational().replaceAll(' ', '-')}`,
  'with marks of direction': ({ number }) => `\u2068${number.formatInternational()}\u2069 `,
  'with its code in parentheses': ({ number }) =>
    `(+${number.countryCallingCode}) ${number.formatInternational().replace(/^\+\d+ /, '')}`,
  'in full width': ({ number }) => inFullWidth(number.formatInternational()),
  'in Arabic digits': ({ e164 }) => inArabic(e164),
  'with dashes': ({ number }) => number.formatInternational().replaceAll(' ', '\u2013'),
  'from a messenger': ({ e164 }) => `whatsapp:${e164}`,
};

/** How it is written where its country is known. */
export const national: typeof international = {
  national: ({ number }) => number.formatNational(),
  'national digits': ({ number }) => number.formatNational().replaceAll(/\D/g, ''),
  'national in full width': ({ number }) => inFullWidth(number.formatNational()),
  'bare digits': ({ e164 }) => e164.slice(1),
};

/** As it is dialled in a country to reach a number of another. */
function dialled({ e164 }: Phone, country: CountryCode): string {
  const prefix = prefixes.find((one) => isPrefix(one, country));
  if (prefix === undefined) throw new Error(`${country} has another prefix`);
  return `${prefix} ${e164.slice(1)}`;
}

/** Whether in a country 00 begins longer prefixes, or numbers that cost nothing, as in Japan. */
const dialsMore = (country: CountryCode): boolean =>
  country === 'JP' ||
  Array.from({ length: 100 }, (_, at) => `00${at}`).some((prefix) => isPrefix(prefix, country));

/**
 * Numbers of which some writing is stored as another number, or as none although it says which.
 * @param count of numbers, each in all writings
 */
export function mistakes(seed: number, count: number): readonly string[] {
  const found: string[] = [];
  const phones = phonesOf(seed, count);
  const expect = (text: string, country: CountryCode | null, allowed: readonly string[]) => {
    const stored = normalisePhone(text, country);
    if (!allowed.includes(stored)) {
      found.push(`${text} in ${country} is ${stored} instead of ${allowed.join(' or ')}`);
    }
  };
  phones.forEach((phone, at) => {
    const { e164, country, number } = phone;
    // Far away in the list, so that each country meets many others.
    const other = phones[(at * 7919 + 1) % count]?.country ?? country;
    for (const [name, write] of Object.entries(international)) {
      const elsewhere = name === 'behind 00' && dialsMore(other) ? null : other;
      expect(write(phone), [null, country, elsewhere][at % 3] ?? null, [e164]);
    }
    expect(dialled(phone, country), country, [e164]);
    const text = dialled(phone, other);
    if (!text.startsWith('00 ') || !dialsMore(other)) expect(text, other, [e164]);
    // A number of the world, such as one of a satellite, is in no country.
    if (!number.country) return;
    for (const write of Object.values(national)) {
      const text = write(phone);
      // The library writes numbers of Gabon from before 2019 as others, which it knows as well.
      if (/^\+241[2-7]\d{6}$/.test(e164)) return;
      expect(text, country, [e164]);
      // Eleven digits that begin with 1 are a number of North America, by decision.
      if (!/^1\d{10}$/.test(text)) expect(text, null, [text, e164]);
    }
  });
  return found;
}
