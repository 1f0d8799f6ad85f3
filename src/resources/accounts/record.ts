import { isSupportedCountry } from 'libphonenumber-js/max';
import { blankAsNull, nameField, text } from '../kernel/fields/fields.ts';
import type { ParsedInput } from '../kernel/fields/input.ts';
import { notATimeZone, readTimeZone } from '../kernel/fields/time_zone.ts';

const isKnown = (zone: string): boolean => zone === '' || readTimeZone(zone) !== undefined;

/** Codes of ISO 4217 that are in use. */
const currencies = new Set(Intl.supportedValuesOf('currency'));

/** What an admin may change of an account. */
export const accountFields = {
  name: nameField,
  default_country: blankAsNull(
    text({
      normalise: (country) => country.trim().toUpperCase(),
      check: (country) =>
        country === '' || isSupportedCountry(country)
          ? undefined
          : 'must be a country by ISO 3166-1, such as BR',
    }),
  ),
  time_zone: blankAsNull(
    text({
      normalise: (zone) => readTimeZone(zone.trim()) ?? zone.trim(),
      check: (zone) => (isKnown(zone) ? undefined : notATimeZone),
    }),
  ),
  currency: blankAsNull(
    text({
      normalise: (currency) => currency.trim().toUpperCase(),
      check: (currency) =>
        currency === '' || currencies.has(currency)
          ? undefined
          : 'must be a currency by ISO 4217, such as BRL',
    }),
  ),
};

export type AccountFields = ParsedInput<typeof accountFields>;
