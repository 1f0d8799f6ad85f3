/** The time zone and the currency of a country, as far as they are known. */

/** Countries by their currencies, of those where the languages of the console are spoken. */
const countriesOf: Readonly<Record<string, string>> = {
  AOA: 'AO',
  ARS: 'AR',
  AUD: 'AU',
  BOB: 'BO',
  BRL: 'BR',
  CAD: 'CA',
  CHF: 'CH LI',
  CLP: 'CL',
  COP: 'CO',
  CRC: 'CR',
  DOP: 'DO',
  EUR: 'AT BE DE ES FR IE IT LU NL PT',
  GBP: 'GB',
  GTQ: 'GT',
  HNL: 'HN',
  INR: 'IN',
  MXN: 'MX',
  MZN: 'MZ',
  NIO: 'NI',
  NZD: 'NZ',
  PEN: 'PE',
  PYG: 'PY',
  USD: 'EC PR SV US',
  UYU: 'UY',
  ZAR: 'ZA',
};

/** @returns empty where it is not known */
export const currencyOf = (country: string): string =>
  Object.keys(countriesOf).find((code) => countriesOf[code]?.split(' ').includes(country)) ?? '';

/**
 * The time zone of a country that has one, or else the browser's, if it may be one of the country's.
 * @returns empty where neither is so
 */
export function timeZoneOf(
  country: string,
  own: string = new Intl.DateTimeFormat().resolvedOptions().timeZone,
): string {
  if (country === '') return '';
  const locale = new Intl.Locale('und', { region: country });
  // Not every browser knows the zones of a country.
  const zones = 'getTimeZones' in locale ? locale.getTimeZones() : undefined;
  if (!zones || zones.includes(own)) return own;
  const [only, another] = zones;
  return another === undefined ? (only ?? '') : '';
}
