/**
 * Removing records with all that goes along with them, as the relations of schema.prisma say. The
 * database would remove what goes along by itself, but would not say what it was; where nobody is
 * to know that, it does.
 */
import type { UnitOfWork } from '../../../context/context.ts';
import { asSubquery, neighboursOf } from '../../../db/sql/computed_column.ts';
import type { Association, RecordType, ShapeName } from '../../../db/sql/shape.ts';
import { empty, join, name, raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { tables } from '../../../generated/shapes.ts';
import { isRecorded } from '../../audit/columns.ts';
import { removalOf } from '../../audit/entry.ts';
import { shapes } from '../../shapes.ts';

/** Parts of the statement of a removal. */
export interface Removal {
  /** WITH queries; the one named `gone` returns the ids of the records themselves. */
  readonly steps: Sql;
  /** Children come before their parents. */
  readonly entries: readonly Sql[];
}

/**
 * Removes records of the account. Those that others go along with must have been locked FOR UPDATE by an
 * earlier statement, and so must those that go along and have others go along with them: otherwise
 * one more may come that this statement does not see.
 * @param which a condition on their columns
 */
export function removal(ctx: UnitOfWork, table: ShapeName, which: Sql): Removal {
  const { accountId } = ctx.viewer;
  const chain = chainOf(table);
  // Until it is removed it must stay the version that is expected.
  const locking = ctx.expected ? raw('FOR UPDATE') : empty;
  const steps = [...chain].reverse().map((link) => {
    const condition = link.table === table ? which : goesAlong(link);
    if (!link.leads)
      return sql`${name(link.row)} AS (
      DELETE FROM ${name(link.table)} WHERE account_id = ${accountId} AND ${condition} RETURNING *)`;
    return sql`${name(link.row)} AS (
      SELECT going.*${computedBeside(link.table, accountId)} FROM ${name(link.table)} AS going
      WHERE account_id = ${accountId} AND ${condition} ${link.table === table ? locking : empty})`;
  });
  // Whatever refers to a record goes before it, for Citus runs one after the other.
  const led = chain
    .filter(({ leads }) => leads)
    .map(
      (link) => sql`${name(link.table === table ? 'gone' : `${link.row}_gone`)} AS (
      DELETE FROM ${name(link.table)} WHERE account_id = ${accountId}
        AND id = ANY(ARRAY(SELECT id FROM ${name(link.row)})) RETURNING id)`,
    );
  return {
    steps: join([...steps, ...led], ', '),
    entries: chain.map(({ entries }) => entries),
  };
}

/** Records of a table that a removal takes. */
interface Link {
  readonly table: ShapeName;
  /** The WITH query that returns them. */
  readonly row: string;
  /** Whether others go along with them, so that they are read first and removed after those. */
  readonly leads: boolean;
  readonly entries: Sql;
  /** The columns that lead to what they go along with, each with its table and the WITH query of that. */
  readonly parents: readonly {
    readonly column: string;
    readonly table: ShapeName;
    readonly row: string;
  }[];
}

/** A table whose records a removal takes, and how they refer to those that it takes first. */
export interface TakenAlong {
  readonly table: ShapeName;
  readonly one: RecordType;
  readonly parents: readonly { readonly column: string; readonly table: ShapeName }[];
}

/** The tables whose records go with those of a table, itself first, each before those that refer to it. */
export const takenAlong = (table: ShapeName): readonly TakenAlong[] =>
  [...chainOf(table)].reverse().map(({ table: of, parents }) => ({
    table: of,
    one: tables[of].one,
    parents,
  }));

const chains = new Map<ShapeName, readonly Link[]>();

/** All tables that a removal takes records of, children before their parents. */
function chainOf(table: ShapeName): readonly Link[] {
  const known = chains.get(table);
  if (known) return known;
  const order: ShapeName[] = [];
  const visit = (each: ShapeName) => {
    if (order.includes(each)) return;
    for (const { to } of cascades(each)) visit(to);
    order.push(each);
  };
  visit(table);
  const rowOf = (each: ShapeName) =>
    each === table && cascades(each).length === 0 ? 'gone' : `${each}_going`;
  const chain = order.map((each) => ({
    table: each,
    row: rowOf(each),
    entries: removalOf({ ...shapes[each], one: tables[each].one }, rowOf(each)),
    leads: cascades(each).length > 0,
    parents: order.flatMap((parent) =>
      cascades(parent)
        .filter(({ to }) => to === each)
        .flatMap(({ on }) => Object.keys(on))
        .map((column) => ({ column, table: parent, row: rowOf(parent) })),
    ),
  }));
  chains.set(table, chain);
  return chain;
}

const cascades = (table: ShapeName): readonly Association[] =>
  Object.values<Association>(tables[table].relations).filter(
    ({ cascades, to }) => cascades && isRecorded(to),
  );

const goesAlong = ({ parents }: Link): Sql =>
  raw(
    `(${parents.map(({ column, row }) => `"${column}" = ANY(ARRAY(SELECT id FROM "${row}"))`).join(' OR ')})`,
  );

/** What is computed of a record from other rows, to stand beside its own columns. */
function computedBeside(table: ShapeName, accountId: number): Sql {
  const { computed = {}, neighbours } = shapes[table];
  const columns = Object.entries(computed).map(
    ([column, each]) => sql`, ${asSubquery(each, shapes, 'going', accountId)} AS ${name(column)}`,
  );
  const beside = neighbours
    ? [sql`, ${neighboursOf(neighbours, 'going', accountId)} AS neighbours`]
    : [];
  return columns.length + beside.length > 0 ? join([...columns, ...beside], '') : empty;
}
