import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';

/**
 * A phone number as E.164 where it can be read as one, otherwise the trimmed text: the format is
 * recommended, never required. What is written like a local number is never taken for a foreign one.
 * @param defaultCountry ISO 3166-1 country assumed for numbers without a country code
 */
export function normalisePhone(text: string, defaultCountry: string | null): string {
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return e164(trimmed) ?? trimmed;
  if (!/^[\d\s().\-/]+$/.test(trimmed)) return trimmed;
  if (trimmed.startsWith('00')) return e164(`+${trimmed.slice(2)}`) ?? trimmed;
  const local = defaultCountry ? e164(trimmed, defaultCountry) : undefined;
  const foreign = /^\d+$/.test(trimmed) ? e164(`+${trimmed}`) : undefined;
  return local ?? foreign ?? trimmed;
}

/** A Brazilian mobile number as messengers write it, without the digit that all begin with. */
const withoutNinth = /^([1-9]{2})([6-9]\d{7})$/;

function e164(text: string, country?: string): string | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(country && isSupportedCountry(country) ? { defaultCountry: country } : {}),
  });
  // E.164 cannot hold an extension; dropping it would lose part of what was sent.
  if (!number || number.ext) return undefined;
  if (number.countryCallingCode === '55') {
    const [, area, subscriber] = withoutNinth.exec(number.nationalNumber) ?? [];
    if (area && subscriber) return e164(`+55${area}9${subscriber}`);
  }
  return number.isValid() ? number.number : undefined;
}
