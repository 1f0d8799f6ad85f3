/**
 * Selections to SQL: a record with everything selected beneath it is one JSON text, built by
 * PostgreSQL in one statement, however deep the selection goes.
 */
import { memoize, memoizePair } from '../../lib/memoize.ts';
import { asSubquery, columnValue, fromCte } from './computed_column.ts';
import { jsonObject, jsonOf, type Member, nullableJson } from './json_text.ts';
import {
  type Association,
  kindOf,
  type OutputField,
  type Relation,
  type Selection,
  type Shape,
  type ShapeName,
  type Shapes,
} from './shape.ts';
import {
  type AccountId,
  accountParameter,
  empty,
  join,
  name,
  ofAccount,
  raw,
  type Sql,
  sql,
} from './sql.ts';
import { timestampJson } from './timestamp.ts';

/**
 * What stands in for the tables of some shapes: WITH queries of a write that return rows as the write
 * leaves them.
 */
export type Rows = Readonly<Partial<Record<ShapeName, string>>>;

/**
 * Where a row's `computed` columns are computed from: each row reads its own source row, all read the one of
 * the common source, or the row itself has the value as a column.
 */
export type PositionFrom = 'subquery' | 'cte' | 'column';

/** Builds the SQL of records from their shapes. */
export class Select {
  readonly #shapes: Shapes;
  /** The text of a selection never changes, and stored operations live as long as the process. */
  readonly #builtOf = memoize((_: Selection) => memoizePair(() => new Map<PositionFrom, Sql>()));

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /**
   * @param shape what the record is
   * @param selection what of it is wanted
   * @param account whose it is; everything beneath is looked up among what is this account's
   * @param alias the name under which the statement knows the row
   * @param positionFrom where the row's `computed` columns are computed from
   * @param rows where other records come from, their tables when not given; what is built with them is not
   *   remembered here
   * @returns an expression of type text: the record as JSON, relations under their keys
   */
  record(
    shape: ShapeName,
    selection: Selection,
    account: AccountId,
    alias: string,
    positionFrom: PositionFrom = 'subquery',
    rows?: Rows,
  ): Sql {
    const build = () =>
      this.#object(shape, selection, { alias, depth: 0, rows: rows ?? {}, positionFrom });
    if (rows) return ofAccount(build(), account);
    const known = this.#builtOf(selection)(shape, alias);
    let built = known.get(positionFrom);
    if (!built) {
      built = build();
      known.set(positionFrom, built);
    }
    return ofAccount(built, account);
  }

  #object(shapeName: ShapeName, selection: Selection, row: Row): Sql {
    const shape = this.#shapes[shapeName];
    const { shown } = selection;
    const isShown = shown !== undefined;
    return jsonObject(
      (shown ?? membersOf(selection)).map((member) => this.#member(shape, member, row, isShown)),
    );
  }

  #member(shape: Shape, { as, field, relation }: OutputField, row: Row, isShown: boolean): Member {
    return relation
      ? { as, ...this.#relation(shape, relation, row) }
      : { as, json: this.#value(shape, field, row, isShown) };
  }

  #value(shape: Shape, field: string, { alias, positionFrom }: Row, isShown: boolean): Sql {
    if (field === '__typename') return raw(`'"${shape.type}"'`);
    const computed = positionFrom === 'column' ? undefined : shape.computed?.[field];
    if (computed) {
      const from = positionFrom === 'cte' ? fromCte : asSubquery;
      return nullableJson(from(computed, this.#shapes, alias, accountParameter));
    }
    const expression = shape.expressions?.[field];
    if (expression) return nullableJson(raw(expression.replaceAll('$row', `"${alias}"`)));
    const kind = kindOf(shape, field);
    if (!kind) throw new Error(`${shape.table} has no ${field}`);
    const value = columnValue(shape, field, alias, accountParameter);
    if (isShown && kind === 'timestamp') return timestampJson(value);
    // What is not stored may be null, as a computed column that the row itself holds.
    const isNullable = shape.nullable.includes(field) || !(field in shape.columns);
    // Within the record it is a text, so that parsing the record leaves it exact.
    if (!isShown && kind === 'json') return jsonOf(sql`${value}::text`, 'text', isNullable);
    return jsonOf(value, kind, isNullable);
  }

  #relation(shape: Shape, relation: Relation, { alias, depth, rows }: Row): Omit<Member, 'as'> {
    const association = shape.associations[relation.association];
    if (!association) throw new Error(`${shape.table} has no ${relation.association}`);
    if (association.through) throw new Error(`${relation.association} can only be searched`);
    const inner = `t${depth + 1}`;
    const table = rows[association.to] ?? this.#shapes[association.to].table;
    const { filter } = relation;
    const conditions = [
      joins(association, inner, shape, alias),
      ...(filter ? [filter.where(inner)] : []),
    ];
    const among = sql`WHERE ${join(conditions, ' AND ')}`;
    if (relation.isCount) {
      return { json: sql`(SELECT count(*) FROM ${name(table)} AS ${name(inner)} ${among})` };
    }
    const record = this.#object(association.to, relation.selection, {
      alias: inner,
      depth: depth + 1,
      rows,
      positionFrom: 'subquery',
    });
    const ordered = filter?.order?.(inner);
    const from = ordered
      ? sql`${name(table)} AS ${name(inner)} ${ordered.joins}`
      : sql`${name(table)} AS ${name(inner)}`;
    const records = sql`SELECT ${record} FROM ${from} ${among}`;
    if (!association.many) return { json: sql`coalesce((${records}), 'null')` };
    const { computed } = this.#shapes[association.to];
    const columns = (association.order ?? ['id']).flatMap((of) => computed?.[of]?.order ?? of);
    const own = columns.map((of) => sql`${name(inner)}.${name(of)}`);
    const order = sql`ORDER BY ${ordered?.by ?? join(own)}`;
    const limit = relation.limit === undefined ? empty : sql`LIMIT ${relation.limit}`;
    const offset = relation.offset === undefined ? empty : sql`OFFSET ${relation.offset}`;
    // Without records it is empty, too, and sooner built than an aggregate.
    return {
      json: sql`array_to_string(ARRAY(${records} ${order} ${limit} ${offset}), ',')`,
      form: '[%s]',
    };
  }
}

/** The row that a record is built of, and how. */
interface Row {
  readonly alias: string;
  /** How many relations lead to it. */
  readonly depth: number;
  readonly rows: Rows;
  readonly positionFrom: PositionFrom;
}

const membersOf = ({ fields, relations }: Selection): readonly OutputField[] => [
  ...fields.map((field) => ({ as: field, field })),
  ...relations.map((relation) => ({ as: relation.key, field: relation.association, relation })),
];

function joins(association: Association, inner: string, shape: Shape, outer: string): Sql {
  const pairs = Object.entries(association.on);
  return join(
    [
      sql`${name(inner)}.account_id = ${accountParameter}`,
      ...pairs.map(
        ([theirs, ours]) =>
          sql`${name(inner)}.${name(theirs)} = ${columnValue(shape, ours, outer, accountParameter)}`,
      ),
    ],
    ' AND ',
  );
}
