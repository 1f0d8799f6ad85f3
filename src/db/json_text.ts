/**
 * SQL that writes JSON as text. The names and kinds of a record's members are known when its statement is
 * composed: written then into the template of a `format`, they need not be found out for each record, as
 * `row_to_json` does, which takes PostgreSQL a quarter longer.
 */
import type { ColumnKind } from './shape.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/** A member of an object: its name, and SQL of its value's JSON, which is never null. */
export interface Member {
  readonly as: string;
  readonly json: Sql;
  /** The value in the template; a list's brackets may stand there. */
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

/** SQL of the JSON of a column's value. */
export function jsonOf(value: Sql, kind: ColumnKind, isNullable: boolean): Sql {
  if (isNullable) return nullableJson(value);
  return plain.includes(kind) ? value : sql`to_json(${value})`;
}

/** The same of an expression of any type. */
export const nullableJson = (value: Sql): Sql => sql`coalesce(to_json(${value}), 'null')`;
