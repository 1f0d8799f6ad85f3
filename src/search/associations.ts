/** Ways from one record to others, as SQL that never leaves the account. */
import type { Association, Shape, Shapes } from '../db/shape.ts';
import { join, name, type Sql, sql } from '../db/sql.ts';

/** A row that a condition speaks of: its shape, and the name that the statement knows it by. */
export interface Row {
  readonly shape: Shape;
  readonly alias: string;
}

/** One table of a way. */
interface Link {
  readonly table: Sql;
  /** What makes its rows of the account that searches. */
  readonly own: Sql;
  /** Its columns that equal columns of what goes before, the account always among them. */
  readonly keys: readonly (readonly [theirs: Sql, ours: Sql])[];
}

/** An association followed from a row: to its own rows, through a table in between or not. */
export interface Step {
  readonly row: Row;
  readonly links: readonly [Link, ...Link[]];
}

/** The association of a shape that a path names. */
export function associationOf({ table, associations }: Shape, step: string): Association {
  const association = associations[step];
  if (!association) throw new Error(`${table} has no ${step}`);
  return association;
}

/** The rows behind an association of a row. */
export function stepTo(
  from: Row,
  step: string,
  shapes: Shapes,
  accountId: number,
  alias: string,
): Step {
  const association = associationOf(from.shape, step);
  const shape = shapes[association.to];
  const link = (table: string, as: string, on: Association['on'], before: string): Link => ({
    table: sql`${name(table)} AS ${name(as)}`,
    own: sql`${column(as, 'account_id')} = ${accountId}`,
    keys: Object.entries({ account_id: 'account_id', ...on }).map(([theirs, ours]) => [
      column(as, theirs),
      column(before, ours),
    ]),
  });
  const row = { shape, alias };
  const { through, on } = association;
  if (!through) return { row, links: [link(shape.table, alias, on, from.alias)] };
  const between = `${alias}_between`;
  return {
    row,
    links: [
      link(through.table, between, through.on, from.alias),
      link(shape.table, alias, on, between),
    ],
  };
}

export const column = (alias: string, of: string): Sql => sql`${name(alias)}.${name(of)}`;

const tie = ({ own, keys }: Link): Sql =>
  join([own, ...keys.map(([theirs, ours]) => sql`${theirs} = ${ours}`)], ' AND ');

/** What stands after FROM or LEFT JOIN for the rows of a step, and what ties them to the row. */
export function joined({ links: [first, ...more] }: Step): {
  readonly from: Sql;
  readonly on: Sql;
} {
  const others = more.map((link) => sql`JOIN ${link.table} ON ${tie(link)}`);
  const from = more.length > 0 ? sql`(${first.table} ${join(others, ' ')})` : first.table;
  return { from, on: tie(first) };
}

/**
 * How rows behind an association are looked for.
 *
 * `join`: as a join of the search, which PostgreSQL may begin at either end. `among`: all that
 * fulfil the condition are found first, once, for the steps after the first: as one join over
 * three tables this takes seconds on tables of a few hundred rows that were never analysed,
 * because PostgreSQL takes each of them for a single row. `each`: for one record after the other,
 * where the search does not stand or fall with it.
 */
export type Manner = 'join' | 'among' | 'each';

/** That some row of a step fulfils a condition (which only `each` lets know of other rows). */
export const some = ({ links }: Step, condition: Sql, manner: Manner): Sql =>
  chained(links, condition, manner);

function chained([link, ...more]: readonly Link[], condition: Sql, manner: Manner): Sql {
  if (!link) return condition;
  const { table, own, keys } = link;
  const rest = chained(more, condition, manner === 'each' ? 'each' : 'among');
  if (manner === 'among') {
    const ours = join(keys.map(([, column]) => column));
    const theirs = join(keys.map(([column], at) => sql`${column} AS ${name(`k${at}`)}`));
    return sql`(${ours}) IN (WITH rest AS MATERIALIZED (SELECT ${theirs} FROM ${table} WHERE ${own} AND ${rest}) TABLE rest)`;
  }
  const exists = sql`EXISTS (SELECT FROM ${table} WHERE ${tie(link)} AND ${rest})`;
  // What is tested for being true is not made a join.
  return manner === 'each' ? sql`(${exists} IS TRUE)` : exists;
}
