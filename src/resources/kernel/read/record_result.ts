/** Records as the database builds them. */
import { JsonText } from '../../../json/json.ts';

/**
 * A record as the database built it for use cases: timestamps in PostgreSQL's format, free-form
 * JSON as text.
 */
export type RecordValues = Readonly<Record<string, unknown>>;

/** A record as the database built it, by its selection: for use cases, or as an answer shows it. */
export type RecordResult = RecordValues | JsonText;

/**
 * What a use case reads of a record.
 * @throws {Error} for one whose selection had it built as an answer shows it
 */
export function valuesOf(record: RecordResult): RecordValues {
  if (record instanceof JsonText) throw new Error('only the text of the record was selected');
  return record;
}
