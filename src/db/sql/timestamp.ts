import { type Sql, sql } from './sql.ts';

/**
 * SQL of what an answer shows of a timestamptz, as a JSON string, quotes included: null of null, and of
 * infinity, which has no year. The session's time zone is UTC.
 */
export const timestampJson = (value: Sql): Sql =>
  sql`coalesce(to_char(${value}, '\\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""'), 'null')`;

/**
 * PostgreSQL writes a moment into JSON as `2026-03-01T10:00:00.12+00:00`; answers say
 * `2026-03-01T10:00:00.120Z`. Where a record is read here anyway, padding the text costs a fraction of what
 * {@link timestampJson} does in the database.
 * @param text a timestamptz as JSON, the session's time zone being UTC
 */
export function isoTimestamp(text: string): string {
  // Nine of ten have all three digits, `2026-03-01T10:00:00.123+00:00`; some are as answers say already.
  if (text[19] === '.') {
    if (text.length === 29 && text.endsWith('+00:00')) return `${text.slice(0, 23)}Z`;
    if (text.length === 24 && text.endsWith('Z')) return text;
  }
  const local = text.endsWith('+00:00') ? text.slice(0, -6) : text.replace(/Z$|[+-]00(:00)?$/, '');
  const dot = local.indexOf('.');
  if (dot === -1) return `${local}.000Z`;
  return `${`${local}00`.slice(0, dot + 4)}Z`;
}

/** SQL of the time that clocks of a zone show at a moment. */
export const localTime = (moment: Sql, zone: Sql): Sql => sql`(${moment} AT TIME ZONE ${zone})`;

/** SQL of a timestamp: the first moment of a day of clocks. */
export const midnight = (on: string): Sql => sql`${on}::date::timestamp`;
