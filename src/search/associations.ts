/** Ways from one record to others, as SQL that never leaves the account. */
import type { Association, Shape, Shapes } from '../db/shape.ts';
import { join, name, type Sql, sql } from '../db/sql.ts';

/** A row that a condition speaks of: its shape, and the name that the statement knows it by. */
export interface Row {
  readonly shape: Shape;
  readonly alias: string;
}

/** One step along an association: where the other rows are, and what ties them to this one. */
export interface Step {
  readonly row: Row;
  /** What stands after FROM or JOIN. */
  readonly from: Sql;
  /** What makes them this row's, of this row's account and of the account that searches. */
  readonly tie: Sql;
}

/** The rows behind an association of a row. */
export function stepTo(
  from: Row,
  association: Association,
  shapes: Shapes,
  accountId: number,
  alias: string,
): Step {
  const shape = shapes[association.to];
  const own = sql`${column(alias, 'account_id')} = ${accountId}`;
  const { through } = association;
  const table = sql`${name(shape.table)} AS ${name(alias)}`;
  const row = { shape, alias };
  if (!through) {
    return { row, from: table, tie: sql`${own} AND ${same(association.on, alias, from.alias)}` };
  }
  const between = `${alias}_between`;
  return {
    row,
    from: sql`(${table} JOIN ${name(through.table)} AS ${name(between)} ON ${same(association.on, alias, between)})`,
    tie: sql`${own} AND ${same(through.on, between, from.alias)}`,
  };
}

export const column = (alias: string, of: string): Sql => sql`${name(alias)}.${name(of)}`;

/** Columns of one row that equal those of another, the account always among them. */
function same(columns: Readonly<Record<string, string>>, one: string, other: string): Sql {
  const pairs = Object.entries({ account_id: 'account_id', ...columns });
  return join(
    pairs.map(([theirs, ours]) => sql`${column(one, theirs)} = ${column(other, ours)}`),
    ' AND ',
  );
}
