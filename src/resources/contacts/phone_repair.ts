/** Phones that former rules stored, read anew. For commands alone: it loads the metadata of those rules. */
import { parsePhoneNumberFromString as parseFull } from 'libphonenumber-js/max';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { codeOf, existing, normalisePhone } from './phone.ts';

/**
 * What a stored phone should be. A number that does not exist, and that the former rules took for one, was
 * sent without its `+`, or with the country's code that was then written twice.
 * @param defaultCountry of the account
 */
export function repairedPhone(stored: string, defaultCountry: string | null): string {
  const normal = normalisePhone(stored, defaultCountry);
  if (normal !== stored || !/^\+\d+$/.test(stored)) return normal;
  const code = codeOf(defaultCountry);
  if (code && stored.startsWith(`+${code}${code}`)) {
    const once = existing(`+${stored.slice(1 + code.length)}`);
    if (once && isMobile(once)) return once;
  }
  if (existing(stored) !== undefined || !parsePhoneNumberFromString(stored)?.isValid()) {
    return stored;
  }
  const digits = stored.slice(1);
  const local = code && digits.startsWith(code) ? digits.slice(code.length) : digits;
  const phone = normalisePhone(local, defaultCountry);
  if (!phone.startsWith('+')) return normalisePhone(digits, defaultCountry);
  // Landline numbers of some countries may have any length, so that this may be one by chance.
  return isMobile(phone) ? phone : stored;
}

const isMobile = (phone: string): boolean => parseFull(phone)?.getType() === 'MOBILE';
