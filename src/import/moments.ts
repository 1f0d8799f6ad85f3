/** Moments as people and spreadsheets write them. */

/** What comes first in a day that is written with slashes. */
export const dayOrders = ['day-first', 'month-first'] as const;
export type DayOrder = (typeof dayOrders)[number];

/** A moment as the service reads it, or why it is none. */
export type Moment = { readonly value: string } | { readonly fault: string };

const written =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:UTC|GMT|Z|[+-]00:?00)?)?$/i;

/** With dots the day comes first, wherever people write so. */
const dotted = /^(\d\d?)\.(\d\d?)\.(\d{4})(?:,? (\d\d?)(:\d\d(?::\d\d)?))?$/;

/** With slashes either may come first. */
const slashed = /^(\d\d?)\/(\d\d?)\/(\d{4}|\d\d)(?:,? (\d\d?)(:\d\d(?::\d\d)?))?$/;

/**
 * A day begins in UTC, as does a time that names no zone. Anything else is the service's to refuse.
 * @param order of days with slashes; without it nobody knows which days they are
 */
export function momentOf(text: string, order: DayOrder | undefined): Moment {
  const slashes = order && slashed.exec(text);
  const parts = slashes ?? dotted.exec(text);
  if (parts) {
    const [, first = '', second = '', year = '', hour = '', rest = ':00:00'] = parts;
    const isTurned = slashes && order === 'month-first';
    const [day, month] = isTurned ? [second, first] : [first, second];
    const date = [wholeYear(year), twoDigits(month), twoDigits(day)].join('-');
    return isDate(date)
      ? { value: `${date}T${twoDigits(hour)}${rest}Z` }
      : { fault: `is not a day: ${text}` };
  }
  const [, day, time = '00:00:00'] = written.exec(text) ?? [];
  return { value: day === undefined ? text : `${day}T${time}Z` };
}

const twoDigits = (number: string): string => number.padStart(2, '0');

/** Of two digits, as POSIX has it. */
function wholeYear(year: string): string {
  if (year.length === 4) return year;
  return year < '69' ? `20${year}` : `19${year}`;
}

/** A day beyond the month's end would roll over. */
function isDate(date: string): boolean {
  const midnight = new Date(date);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
