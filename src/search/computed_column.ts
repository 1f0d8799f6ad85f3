/**
 * Conditions on columns that are not stored but computed from another row, such as the position of a deal,
 * which follows from its rank and its stage. The other row is called the source.
 */

import { orderAt } from '../db/sql/computed_column.ts';
import type { ComputedColumn, Shape, Shapes } from '../db/sql/shape.ts';
import { type AccountId, empty, join, name, raw, Sql, sql } from '../db/sql/sql.ts';
import { column, type Row } from './associations.ts';
import type { Predicate, Value } from './predicate.ts';
import type { Attribute, Group, Search } from './search.ts';

export interface ComputedCondition {
  readonly computed: ComputedColumn;
  readonly predicate: Predicate;
  readonly values: readonly Value[];
  /** The sources of all that can be found: one after the other, or a single one by its id. */
  readonly by: SourceRows | Sql | undefined;
}

/** The sources, as `each` of a statement, with the places that conditions compare with. */
export class SourceRows {
  readonly #computed: ComputedColumn;
  #columns = sql`source.id`;
  #places = empty;
  #count = 0;

  constructor(computed: ComputedColumn) {
    this.#computed = computed;
  }

  /**
   * Has each of them say where a value would stand.
   * @returns the names of the place's columns
   */
  placeOf(value: Value | undefined, accountId: AccountId): Sql {
    this.#count += 1;
    const place = `place${this.#count}`;
    const names = this.#computed.order.map(
      (of) => [column(place, of), name(`${place}_${of}`)] as const,
    );
    const at = orderAt(this.#computed, 'source', `${place}_value.value`, accountId);
    this.#columns = join([this.#columns, ...names.map(([of, as]) => sql`${of} AS ${as}`)]);
    this.#places = sql`${this.#places} CROSS JOIN (SELECT ${value}::bigint AS value) AS ${name(`${place}_value`)}
      CROSS JOIN LATERAL (${at}) AS ${name(place)}`;
    return join(names.map(([, as]) => sql`each.${as}`));
  }

  /**
   * A SELECT of them, once all conditions are compiled; sources without rows are left out.
   * @param only the id of the one that all rows have, if they have the same
   */
  select(table: string, shapes: Shapes, accountId: AccountId, only: Value | undefined): Sql {
    const { by, key } = this.#computed;
    const wanted = only === undefined ? empty : sql` AND source.id = ${only}::bigint`;
    // For a stage without deals PostgreSQL would look through all rows.
    return sql`SELECT ${this.#columns} FROM ${name(shapes[by].table)} AS source ${this.#places} WHERE source.account_id = ${accountId}${wanted}
      AND EXISTS (SELECT FROM ${name(table)} AS r WHERE r.account_id = ${accountId} AND r.${name(key)} = source.id)`;
  }
}

/**
 * The one value that a column of the record has wherever the conditions hold; undefined when they
 * do not say.
 */
export function onlyValue({ any, conditions }: Group, of: string): Value | undefined {
  if (any) return undefined;
  for (const { attributes, predicate, values } of conditions) {
    const [attribute, ...more] = attributes;
    const [given = []] = values;
    if (more.length > 0 || attribute?.path.length !== 0 || attribute.column !== of) continue;
    if (predicate.compares?.operator === '=' && given.length === 1) return given[0];
  }
  return undefined;
}

/**
 * The computed column by which a search is answered source row by source row: because it orders by it, and only the
 * rows of one source row have an index in that order, or because it compares it with a place far from either
 * end, of which PostgreSQL cannot know how many rows lie behind it.
 */
export function computedPerSource({ where, sorts: [sort] }: Search, { computed = {} }: Shape) {
  const computedOf = (attribute: Attribute | undefined) =>
    attribute?.path.length === 0 ? computed[attribute.column] : undefined;
  const sorted = computedOf(sort?.attribute);
  // The rows of a single source row are in the order of an index, which is read from the place on.
  if (sorted) return onlyValue(where, sorted.key) === undefined ? sorted : undefined;
  const far = where.conditions.map(({ attributes, predicate, values: [given = []] }) =>
    !where.any && attributes.length === 1 && isFar(predicate, given)
      ? computedOf(attributes[0])
      : undefined,
  );
  return far.find((each) => each !== undefined);
}

/** Values of which PostgreSQL looks through a list faster than it looks one up. */
const maxListed = 4;

/** How a predicate compares with places in the order of a computed column. */
interface Comparing {
  readonly operator: string;
  /** Several values: equal to one, or to none. */
  readonly list: boolean;
  /** Whether it is true of few rows of each source row, which PostgreSQL cannot know. */
  readonly few: boolean;
  readonly values: readonly Value[];
}

function comparing({ compares }: Predicate, values: readonly Value[]): Comparing | undefined {
  if (!compares) return undefined;
  const { operator, list } = compares;
  if (list && list === { '=': 'ANY', '<>': 'ALL' }[operator]) {
    return { operator, list: true, few: true, values };
  }
  if (!/^([<>]=?|=|<>)$/.test(operator)) return undefined;
  const sorted = values.toSorted((one, other) => Number(one) - Number(other));
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || (/^(=|<>)$/.test(operator) && min !== max)) return undefined;
  // Of several values one decides: what is greater than all is greater than the greatest.
  const value = (list === 'ALL') === operator.startsWith('>') ? max : min;
  const few = operator === '=' || (/^<=?$/.test(operator) && Number(value) <= 1000);
  return { operator, list: false, few, values: [value ?? min] };
}

/** Whether a condition finds many rows of each source row: those behind one place, or before it. */
export function isFar(predicate: Predicate, values: readonly Value[]): boolean {
  const asked = comparing(predicate, values);
  return asked !== undefined && !asked.few && asked.operator !== '<>';
}

/**
 * What is compared with a value is compared with where that value would stand, which is found once
 * for each source row: so an index in order answers it.
 * @param whole whether the whole WHERE depends on it: then it becomes a join
 */
export function testComputed(
  { computed, predicate, values, by }: ComputedCondition,
  { alias, shape: { table } }: Row,
  shapes: Shapes,
  accountId: AccountId,
  whole: boolean,
): Sql {
  const asked = comparing(predicate, values);
  // All else asks whether there is a value, or holds of none or of any.
  if (!asked) return predicate.test(column(alias, computed.key), computed.kind, values);
  const columns = (of: string) => join(computed.order.map((each) => column(of, each)));
  const compare = (of: string, bound: Sql, operator = asked.operator) =>
    sql`(${columns(of)}) ${raw(operator)} (${bound})`;
  const wanted = asked.list
    ? sql`unnest(${asked.values}::bigint[]) AS wanted (value)`
    : sql`(SELECT ${asked.values[0]}::bigint AS value) AS wanted`;
  const only = by instanceof Sql ? sql` AND source.id = ${by}` : empty;
  const from = sql`FROM ${name(shapes[computed.by].table)} AS source CROSS JOIN ${wanted}
    CROSS JOIN LATERAL (${orderAt(computed, 'source', 'wanted.value', accountId)}) AS bound WHERE source.account_id = ${accountId}${only}`;
  const bounds = sql`source.id, ${columns('bound')} ${from}`;
  const isNot = asked.operator === '<>';
  if (by && !isNot && !asked.list) {
    return by instanceof SourceRows
      ? compare(alias, by.placeOf(asked.values[0], accountId))
      : compare(alias, sql`SELECT ${columns('bound')} ${from}`);
  }
  if (!asked.few && !isNot && whole) {
    // That there is one for each id lets PostgreSQL begin at either end.
    return sql`EXISTS (SELECT FROM (SELECT DISTINCT ON (source.id) ${bounds} ORDER BY source.id) AS bound
      WHERE bound.id = ${column(alias, computed.key)} AND ${compare(alias, columns('bound'))})`;
  }
  const found = sql`SELECT found.id FROM (SELECT ${bounds}) AS bound CROSS JOIN LATERAL (
      SELECT found.id FROM ${name(table)} AS found WHERE found.account_id = ${accountId}
        AND ${column('found', computed.key)} = bound.id AND ${compare('found', columns('bound'), isNot ? '=' : asked.operator)} OFFSET 0) AS found`;
  if (isNot && asked.values.length > maxListed)
    return sql`${column(alias, 'id')} NOT IN (${found})`;
  return isNot
    ? sql`${column(alias, 'id')} <> ALL(ARRAY(${found}))`
    : sql`${column(alias, 'id')} = ANY(ARRAY(${found}))`;
}
