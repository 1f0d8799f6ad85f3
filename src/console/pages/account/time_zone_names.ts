/** What the IANA calls time zones of which some browsers list the former names alone. */
const renamed = [
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Kanton',
];

/**
 * Time zones that can be chosen, each once.
 * @param stored the account's, which may be another name that the service takes; empty for none
 */
export function timeZoneNames(stored: string): readonly string[] {
  const known = [...Intl.supportedValuesOf('timeZone'), ...renamed, stored].filter(Boolean).sort();
  return [...new Set(['UTC', ...known])];
}
