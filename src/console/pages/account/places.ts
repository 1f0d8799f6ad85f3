import type { Option } from '../../components/select.tsx';
import { language } from '../../words/words.ts';
import { countryCodes } from './country_codes.ts';

/** Countries by their names in the language of the person. */
export function countries(): readonly Option[] {
  const names = new Intl.DisplayNames(language.value, { type: 'region' });
  const options = countryCodes.map((value) => ({ value, text: names.of(value) ?? value }));
  return options.sort((one, other) => one.text.localeCompare(other.text, language.value));
}

/** Time zones that the browser knows, as the IANA names them. */
export const timeZones = (): readonly Option[] =>
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({
    value,
    text: value.replaceAll('_', ' '),
  }));
