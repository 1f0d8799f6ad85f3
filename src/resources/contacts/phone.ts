import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';

/**
 * A phone number as E.164 where it can be read as one, otherwise the trimmed text: the format is
 * recommended, never required.
 * @param defaultCountry ISO 3166-1 country assumed for numbers without a country code
 */
export function normalisePhone(text: string, defaultCountry: string | null): string {
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return e164(trimmed) ?? trimmed;
  if (!/^[\d\s().\-/]+$/.test(trimmed)) return trimmed;
  if (trimmed.startsWith('00')) return e164(`+${trimmed.slice(2)}`) ?? trimmed;
  return (defaultCountry && e164(trimmed, defaultCountry)) || e164(`+${trimmed}`) || trimmed;
}

function e164(text: string, country?: string): string | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(country && isSupportedCountry(country) ? { defaultCountry: country } : {}),
  });
  // E.164 cannot hold an extension; dropping it would lose part of what was sent.
  return number?.isValid() && !number.ext ? number.number : undefined;
}
