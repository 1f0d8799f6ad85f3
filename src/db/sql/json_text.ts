/**
 * SQL that writes JSON as text. The names and kinds of a record's members are known when its statement is
 * composed, so they go into the template of a `format` instead of being looked up for each record, as
 * `row_to_json` does in a quarter more time. A null that is not expected would leave out a value and break the
 * text, so a test compares what is said to be nullable with the database's catalogue.
 */
import type { ColumnKind } from './shape.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/** A member of an object. */
export interface Member {
  readonly as: string;
  /** SQL whose text is the value's JSON, or that of a list's elements; never null. */
  readonly json: Sql;
  /** What stands for it in the template: with brackets around the elements of a list. */
  readonly form?: '%s' | '[%s]';
}

/** SQL of the text of an object of at most 99 members: with its template a function takes no more. */
export function jsonObject(members: readonly Member[]): Sql {
  const template = members.map(({ as, form = '%s' }) => `${nameIn(as)}:${form}`).join();
  return sql`format(${join([literal(`{${template}}`), ...members.map(({ json }) => json)], ', ')})`;
}

const nameIn = (name: string): string => JSON.stringify(name).replaceAll('%', '%%');

const literal = (text: string): Sql => raw(`'${text.replaceAll("'", "''")}'`);

/** Kinds whose text is their JSON. */
const plain: readonly ColumnKind[] = ['integer', 'json'];

/** SQL, of any type, whose text is the JSON of a column's value. */
export function jsonOf(value: Sql, kind: ColumnKind, isNullable: boolean): Sql {
  if (isNullable) return nullableJson(value);
  return plain.includes(kind) ? value : sql`to_json(${value})`;
}

/** The same of an expression that may be null. */
export const nullableJson = (value: Sql): Sql => sql`coalesce(to_json(${value}), 'null')`;
