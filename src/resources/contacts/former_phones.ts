/**
 * Phones as former versions stored them. They read fewer ways to write a number, and judged it by
 * its length alone, so that digits became numbers of other countries that do not exist. Until
 * `crm doctor --repair` has mended what they stored, upserts look for it as well.
 */
import { codeOf, existing, readsCode, readWritten } from './phone.ts';

/** What the former rules read as a number. */
const readable = /^\+?[\d\s().\-/]+$/;

/**
 * The texts that a phone may have been stored as, besides how it is stored today; none for most. Another
 * number that exists is not among them, unless it has more digits than people write within a country.
 * @param text as it was sent
 * @param stored what `normalisePhone` makes of it
 */
export function formerPhones(
  text: string,
  stored: string,
  defaultCountry: string | null,
): readonly string[] {
  const former = text.trim();
  const forms = readable.test(former) ? readForms(former, stored, defaultCountry) : [former];
  // As Mexican mobile numbers were dialled from abroad.
  if (/^\+52\d{10}$/.test(stored)) forms.push(stored.replace('+52', '+521'));
  return [...new Set(forms)].filter((form) => form !== stored);
}

function readForms(former: string, stored: string, defaultCountry: string | null): string[] {
  const written = readWritten(former);
  if (!written) return [];
  const { digits, hasPlus } = written;
  const withPlus = `+${hasPlus ? digits : digits.replace(/^00/, '')}`;
  const code = codeOf(defaultCountry);
  const local = code && !hasPlus ? `+${code}${digits.replace(/^0+/, '')}` : undefined;
  const twice = code && digits.startsWith(code) ? local : undefined;
  if (stored === local) return [];
  if (stored === withPlus) {
    // The repair takes the plus from what does not exist, as most of it was sent without.
    return existing(stored) === undefined ? [former, digits] : twice ? [twice] : [];
  }
  const phones = [former];
  if (hasPlus || readsCode(written) || existing(withPlus) === undefined) phones.push(withPlus);
  if (local && (twice || existing(local) === undefined)) phones.push(local);
  return phones;
}
