/** Values of records as JSON text, in the form that entries have. */
import { isoTimestamp } from '../../db/sql/timestamp.ts';
import { tables } from '../../generated/shapes.ts';
import { isJsonObject, parseJson, sourceOf } from '../../json/json.ts';
import { type Kind, tableOf } from './kinds.ts';
import type { Remains, Row } from './runs.ts';

export const columnsOf = (kind: Kind): Readonly<Record<string, string>> =>
  tables[tableOf[kind]].columns;

/** The columns in a JSON object, and a deal's position; what old entries hold besides is left out. */
export function valuesOf(kind: Kind, text: string | null): Row {
  const value = text === null ? null : parseJson(text);
  if (!isJsonObject(value)) return new Map();
  const columns = columnsOf(kind);
  const row = new Map<string, string>();
  // Thousands of records come here in one call, each with all that it has.
  for (const [field, of] of Object.entries(value)) {
    if (!(field in columns) && field !== 'position') continue;
    const isMoment = columns[field] === 'timestamp' && typeof of === 'string';
    row.set(field, isMoment ? JSON.stringify(isoTimestamp(of)) : sourceOf(of));
  }
  return row;
}

/** What the trail holds of a removed record besides its fields; null where a former version removed it. */
export function remainsOf(kind: Kind, text: string | null): Remains | undefined {
  if (text === null) return undefined;
  const value = parseJson(text);
  const beside = isJsonObject(value) ? value.neighbour_id : undefined;
  return {
    moments: valuesOf(kind, text),
    neighbours: Array.isArray(beside) ? [idOf(beside[0]), idOf(beside[1])] : undefined,
  };
}

const idOf = (value: unknown): number | null => (value === null ? null : Number(value));

/** A JSON object of such values; their names are those of columns. */
export function asObject(values: Iterable<readonly [string, string]>): string {
  let members = '';
  for (const [field, text] of values) members += `${members && ','}"${field}":${text}`;
  return `{${members}}`;
}
