// Of both the groups are year, month, day; hour, minute, second, fraction; Z, sign, hours and minutes of the offset.
const extended =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)?)?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?)?$/i;
const basic =
  /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(?:(\d\d)(?:(\d\d)(?:[.,](\d{1,30}))?)?)?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?)?$/i;
/** The sign and the number of days. */
const daysFromNow = /^(-?)P(\d{1,4})D$/;

/**
 * Reads an ISO 8601 date, or date and time, of the years 1000 to 9999; or a duration in days (`-P14D`), which means
 * so many times 24 hours from now. A date alone means its midnight, a time without an offset is UTC.
 * @param now in milliseconds since 1970
 * @returns the moment in UTC, in PostgreSQL's format and to the microsecond; undefined for any other
 *   text
 */
export function readTime(text: string, now = Date.now()): string | undefined {
  if (text.length > 70) return undefined;
  const [, sign, days] = daysFromNow.exec(text) ?? [];
  if (days) {
    const moment = new Date(now + Number(`${sign}${days}`) * 86_400_000);
    return moment.toISOString().replace('Z', '000+00');
  }
  const match = extended.exec(text) ?? basic.exec(text);
  if (!match) return undefined;
  const part = (at: number) => Number(match[at] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second, ahead, aheadMinutes] = [
    part(4),
    part(5),
    part(6),
    part(10),
    part(11),
  ];
  const fraction = match[7] ?? '';
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const endOfDay = hour === 24 && minute === 0 && second === 0 && !/[1-9]/.test(fraction);
  if ((hour > 23 && !endOfDay) || minute > 59 || second > 59) return undefined;
  if (ahead > 23 || aheadMinutes > 59) return undefined;
  const east = (match[9] === '-' ? -1 : 1) * (ahead * 60 + aheadMinutes);
  const moment = new Date(Date.UTC(year, month - 1, day, hour, minute - east, second));
  if (year < 1000 || moment.getUTCFullYear() < 1000 || moment.getUTCFullYear() > 9999) {
    return undefined;
  }
  return `${moment.toISOString().slice(0, 19)}.${microseconds(fraction)}+00`;
}

/**
 * Six digits. Stored times have three, and a fraction between two of those must stay between them:
 * digits that are cut off therefore leave a trace.
 */
function microseconds(fraction: string): string {
  const six = fraction.slice(0, 6).padEnd(6, '0');
  const lost = /[1-9]/.test(fraction.slice(6));
  return lost && six.endsWith('000') ? `${six.slice(0, 3)}001` : six;
}
