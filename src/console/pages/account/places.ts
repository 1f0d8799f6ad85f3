import type { Option } from '../../components/select.tsx';
import { language } from '../../words/words.ts';
import { countryCodes } from './country_codes.ts';
import { timeZoneNames } from './time_zone_names.ts';

/** Countries by their names in the language of the person. */
export function countries(): readonly Option[] {
  const names = new Intl.DisplayNames(language.value, { type: 'region' });
  const options = countryCodes.map((value) => ({ value, text: names.of(value) ?? value }));
  return options.sort((one, other) => one.text.localeCompare(other.text, language.value));
}

/**
 * Currencies by their names in the language of the person.
 * @param stored the account's, which this browser may not know; empty for none
 */
export function currencies(stored: string): readonly Option[] {
  const names = new Intl.DisplayNames(language.value, { type: 'currency' });
  const codes = new Set([...Intl.supportedValuesOf('currency'), stored].filter(Boolean));
  const options = [...codes].map((value) => ({ value, text: `${names.of(value)} (${value})` }));
  return options.sort((one, other) => one.text.localeCompare(other.text, language.value));
}

/** Time zones by their IANA names, see {@link timeZoneNames}. */
export const timeZones = (stored: string): readonly Option[] =>
  timeZoneNames(stored).map((value) => ({ value, text: value.replaceAll('_', ' ') }));
