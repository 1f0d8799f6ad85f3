/** Associations between records, as SQL that never leaves the account. */
import type { Association, Shape, ShapeName, Shapes } from '../db/sql/shape.ts';
import { type AccountId, join, name, type Sql, sql } from '../db/sql/sql.ts';
import { memoizePair } from '../lib/memoize.ts';

/** A row that a condition is about: its shape, and its alias in the statement. */
export interface Row {
  readonly shape: Shape;
  readonly alias: string;
}

/** One table on the way from a row to associated ones. */
interface Link {
  readonly table: Sql;
  /** The condition that its rows belong to the account. */
  readonly own: Sql;
  /** Its columns that equal columns of the table before, always including the account. */
  readonly keys: readonly (readonly [theirs: Sql, ours: Sql])[];
}

/** An association followed from a row, perhaps through a table in between. */
export interface Step {
  readonly row: Row;
  /** The id of its rows, where what refers to them has it: nobody must look at the rows for that. */
  readonly id: Sql | undefined;
  readonly links: readonly [Link, ...Link[]];
}

/** The association that a step of a path names. */
export function associationOf({ table, associations }: Shape, step: string): Association {
  const association = associations[step];
  if (!association) throw new Error(`${table} has no ${step}`);
  return association;
}

/** The records that a column of a record refers to, be it the record itself. */
export function referredTo({ table, associations }: Shape, column: string): ShapeName | undefined {
  if (column === 'id') return table;
  return Object.values(associations).find(({ on, many }) => !many && on.id === column)?.to;
}

/** The rows that an association leads to from a row. */
export function stepTo(
  from: Row,
  step: string,
  shapes: Shapes,
  accountId: AccountId,
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
  const between = `${alias}_between`;
  const id = on.id === undefined ? undefined : column(through ? between : from.alias, on.id);
  if (!through) return { row, id, links: [link(shape.table, alias, on, from.alias)] };
  return {
    row,
    id,
    links: [
      link(through.table, between, through.on, from.alias),
      link(shape.table, alias, on, between),
    ],
  };
}

/** A column of a row, in one piece: the code has few aliases, and few columns. */
export const column: (alias: string, of: string) => Sql = memoizePair(
  (alias, of) => sql`${name(alias)}.${name(of)}`,
);

const joinCondition = ({ own, keys }: Link): Sql =>
  join([own, ...keys.map(([theirs, ours]) => sql`${theirs} = ${ours}`)], ' AND ');

/** What follows FROM or LEFT JOIN for the rows of a step, and the condition that joins them. */
export function joinOf({ links: [first, ...more] }: Step): {
  readonly from: Sql;
  readonly on: Sql;
} {
  const others = more.map((link) => sql`JOIN ${link.table} ON ${joinCondition(link)}`);
  const from = more.length > 0 ? sql`(${first.table} ${join(others, ' ')})` : first.table;
  return { from, on: joinCondition(first) };
}

/**
 * The outer join of a link to records of one account. It says whose rows they are by the account alone, not by that
 * of the row before: PostgreSQL would join the tables of a path among themselves first, and, where it has never
 * analysed them, anew for each record.
 */
export function outerJoin({ table, own, keys: [_, ...keys] }: Link): Sql {
  const conditions = [own, ...keys.map(([theirs, ours]) => sql`${theirs} = ${ours}`)];
  return sql`LEFT JOIN ${table} ON ${join(conditions, ' AND ')}`;
}

/**
 * How associated rows are looked for.
 *
 * `join`: by a semi-join, which PostgreSQL may start from either end. `among`: all rows that meet the
 * condition are found first, once. This is for steps after the first: one join of three tables takes
 * seconds on tables of a few hundred rows that were never analysed, because PostgreSQL takes each of
 * them for a single row. `each`: for each record in turn, when it is not required by the search.
 */
type Manner = 'join' | 'among' | 'each';

/** True when some row of a step meets a condition, which may refer to other rows only with `each`. */
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
  const exists = sql`EXISTS (SELECT FROM ${table} WHERE ${joinCondition(link)} AND ${rest})`;
  // IS TRUE keeps PostgreSQL from making it a join.
  return manner === 'each' ? sql`(${exists} IS TRUE)` : exists;
}
