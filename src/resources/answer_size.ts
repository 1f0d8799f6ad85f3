/**
 * How much one answer may hold. The specification bounds neither what hangs on a contact nor how
 * large each of it is, and an answer passes through the memory of a process that serves everybody.
 */
import { join, name, raw, type Sql, sql } from '../db/sql.ts';
import { Fault } from '../errors.ts';

/** In MiB of JSON. */
const largest = 32;

const tooLarge = `The answer would have more than ${largest} MiB: GraphQL can ask for a part of it`;

/**
 * @param statement SQL whose rows hold a JSON text
 * @param text the column of the text, null where it is too large to be sent
 * @param others columns beside it
 */
export function withinSize(statement: Sql, text: string, others: readonly string[] = []): Sql {
  const size = raw(String(largest * 1024 * 1024));
  const column = name(text);
  const bounded = sql`CASE WHEN octet_length(${column}) <= ${size} THEN ${column} END AS ${column}`;
  // Without an OFFSET the text would be built twice: to be measured, and to be sent.
  return sql`SELECT ${join([bounded, ...others.map(name)])} FROM (${statement} OFFSET 0) AS answer`;
}

/**
 * The text, if it was not too large.
 * @throws {Fault} VALIDATION_FAILED
 */
export function whole(text: string | null): string {
  if (text !== null) return text;
  throw new Fault('VALIDATION_FAILED', [tooLarge]);
}
