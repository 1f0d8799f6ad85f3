import { isBroken } from '../../../db/errors.ts';
import type { Faults } from '../../../errors/errors.ts';

/**
 * Time zones by their IANA names. PostgreSQL takes a name without a slash for an abbreviation where it
 * knows one, and so CET for one hour all year round; such names are refused but for UTC.
 */
const pattern = /^(?:[a-z]\w*(?:\/[\w+-]+)+|utc)$/i;

/** What is wrong with a text that names no time zone. */
export const notATimeZone = 'must be an IANA time zone, such as America/Sao_Paulo';

/** @returns the name, in the spelling of the IANA database where possible; undefined for an unknown one */
export function readTimeZone(text: string): string | undefined {
  if (!pattern.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/**
 * @returns what a statement's error goes to: a zone that Node knows and this PostgreSQL does not, as
 *   their lists differ in age, is reported on `time_zone`; anything else is thrown as it is
 */
export const refusingZone =
  (faults: Faults) =>
  (error: unknown): never => {
    if (!isBroken('unknown_value')(error)) throw error;
    faults.add('time_zone', 'is not known to the database');
    throw faults.fault();
  };
