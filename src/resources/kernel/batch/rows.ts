/**
 * Rows that a statement reads from one JSON text, so that its own text is the same for any number
 * of them.
 */
import { castOf, type Shape } from '../../../db/sql/shape.ts';
import { raw, type Sql, sql } from '../../../db/sql/sql.ts';

/** What the JSON of one row says. */
export type Row = Readonly<Record<string, unknown>>;

/** A kind of rows: columns of a shape, and what each has besides. */
export interface Rows {
  /** What follows FROM. */
  from(rows: readonly Row[]): Sql;
  /** A column's value, as the table holds it. */
  value(column: string): string;
}

/** @param others types of what each row has besides, by its name */
export function rowsOf(
  shape: Shape,
  others: Readonly<Record<string, string>>,
  columns: readonly string[],
): Rows {
  const isJson = (column: string) => shape.columns[column] === 'json';
  // Free-form JSON comes as a text, which keeps it as it was sent.
  const types = [
    ...Object.entries(others).map(([other, type]) => `"${other}" ${type}`),
    ...columns.map((column) => `"${column}" ${isJson(column) ? 'text' : castOf(shape, column)}`),
  ];
  const definition = raw(`AS r (${types.join(', ')})`);
  return {
    from: (rows) => sql`json_to_recordset(${JSON.stringify(rows)}::json) ${definition}`,
    value: (column) => `"${column}"${isJson(column) ? '::json' : ''}`,
  };
}
