/**
 * Time zones by their IANA names. PostgreSQL takes a name without a slash for an abbreviation where it
 * knows one, and so CET for one hour all year round; such names are refused but for UTC.
 */
const pattern = /^(?:[a-z]\w*(?:\/[\w+-]+)+|utc)$/i;

/** What is told of a text that names none. */
export const notATimeZone = 'must be an IANA time zone, such as America/Sao_Paulo';

/** @returns the name, in the spelling of the IANA database where it can be told; undefined for none */
export function readTimeZone(text: string): string | undefined {
  if (!pattern.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** What is told of one that Node knows and this PostgreSQL does not: their lists differ in age. */
export const unknownTimeZone = 'is not known to the database';
