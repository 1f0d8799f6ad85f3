/**
 * Selections to SQL: a record with everything selected beneath it is one JSON text, built by
 * PostgreSQL in one statement, however deep the selection goes.
 */
import { memoize } from '../memoize.ts';
import {
  type Association,
  kindOf,
  type Relation,
  type Selection,
  type Shape,
  type ShapeName,
  type Shapes,
} from './shape.ts';
import {
  type AccountId,
  empty,
  join,
  name,
  ofAccount,
  raw,
  type Sql,
  sql,
  theAccount,
} from './sql.ts';
import { toldAlone, toldByOne } from './told.ts';

/**
 * What stands in for the tables of some shapes: WITH queries of a write that return rows as the write
 * leaves them.
 */
export type Rows = Readonly<Partial<Record<ShapeName, string>>>;

/**
 * Where a row finds what others tell of it: each asks its own other, all ask the one of `oneTeller`,
 * or the row itself has it as a column.
 */
export type Telling = 'by each' | 'by one' | 'in the row';

/** Builds the SQL of records from their shapes. */
export class Select {
  readonly #shapes: Shapes;
  /** The text of a selection never changes, and stored operations live as long as the process. */
  readonly #builtOf = memoize((_: Selection) => new Map<string, Sql>());

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /**
   * @param shape what the record is
   * @param selection what of it is wanted
   * @param account whose it is; everything beneath is looked up among what is this account's
   * @param alias the name under which the statement knows the row
   * @param rows where other records come from, their tables when not given
   * @param telling where the row finds what others tell of it
   * @returns an expression of type json: the record, relations under their keys
   */
  record(
    shape: ShapeName,
    selection: Selection,
    account: AccountId,
    alias: string,
    rows: Rows = {},
    telling: Telling = 'by each',
  ): Sql {
    const texts = this.#builtOf(selection);
    const id = `${shape} ${alias} ${telling} ${Object.entries(rows)}`;
    const known = texts.get(id);
    if (known) return ofAccount(known, account);
    const built = sql`(SELECT row_to_json(record) FROM (SELECT ${this.#fields(shape, selection, alias, 0, rows, telling)}) AS record)`;
    texts.set(id, built);
    return ofAccount(built, account);
  }

  #fields(
    shapeName: ShapeName,
    selection: Selection,
    alias: string,
    depth: number,
    rows: Rows,
    telling: Telling = 'by each',
  ): Sql {
    const shape = this.#shapes[shapeName];
    const fields = selection.fields.map((field) => {
      const told = telling === 'in the row' ? undefined : shape.told?.[field];
      if (!told) return column(shape, field, alias);
      const tell = telling === 'by one' ? toldByOne : toldAlone;
      return sql`${tell(told, this.#shapes, alias, theAccount)} AS ${name(field)}`;
    });
    const relations = selection.relations.map(
      (relation) =>
        sql`${this.#relation(shape, relation, alias, depth + 1, rows)} AS ${name(relation.key)}`,
    );
    const all = [...fields, ...relations];
    return all.length > 0 ? join(all, ', ') : raw('NULL AS nothing');
  }

  #relation(shape: Shape, relation: Relation, outer: string, depth: number, rows: Rows): Sql {
    const association = shape.associations[relation.association];
    if (!association) throw new Error(`${shape.table} has no ${relation.association}`);
    if (association.through) throw new Error(`${relation.association} can only be searched`);
    const inner = `t${depth}`;
    const fields = this.#fields(association.to, relation.selection, inner, depth, rows);
    const table = rows[association.to] ?? this.#shapes[association.to].table;
    const from = sql`FROM ${name(table)} AS ${name(inner)} WHERE ${joins(association, inner, outer)}`;
    if (!association.many) {
      return sql`(SELECT row_to_json(record) FROM (SELECT ${fields} ${from}) AS record)`;
    }
    const { told } = this.#shapes[association.to];
    const columns = (association.order ?? ['id']).flatMap((of) => told?.[of]?.order ?? of);
    const order = sql`ORDER BY ${join(columns.map((of) => sql`${name(inner)}.${name(of)}`))}`;
    const limit = relation.limit === undefined ? empty : sql`LIMIT ${relation.limit}`;
    const offset = relation.offset === undefined ? empty : sql`OFFSET ${relation.offset}`;
    // Of no records it is an empty list, too, and sooner built than an aggregate.
    return sql`array_to_json(ARRAY(SELECT row_to_json(record) FROM (SELECT ${fields} ${from} ${order} ${limit} ${offset}) AS record))`;
  }
}

function joins(association: Association, inner: string, outer: string): Sql {
  const pairs = Object.entries(association.on);
  return join(
    [
      sql`${name(inner)}.account_id = ${theAccount}`,
      ...pairs.map(
        ([theirs, ours]) => sql`${name(inner)}.${name(theirs)} = ${name(outer)}.${name(ours)}`,
      ),
    ],
    ' AND ',
  );
}

/** JSON goes out as a text within the record, so that parsing the record leaves it exact. */
function column(shape: Shape, field: string, alias: string): Sql {
  const computed = shape.computed?.[field];
  if (computed) return sql`${raw(computed.replaceAll('$row', `"${alias}"`))} AS ${name(field)}`;
  const kind = kindOf(shape, field);
  if (!kind) throw new Error(`${shape.table} has no ${field}`);
  const value = sql`${name(alias)}.${name(field)}`;
  return kind === 'json' ? sql`${value}::text AS ${name(field)}` : value;
}
