/** Conditions on columns that another row tells. */
import type { Shapes, Told } from '../db/shape.ts';
import { join, name, raw, type Sql, sql } from '../db/sql.ts';
import { isTeller, orderAt, tellers, toldAlone, toldValue } from '../db/told.ts';
import { column, type Row } from './associations.ts';
import type { Predicate, Value } from './predicate.ts';
import type { Group } from './search.ts';

export interface ToldCondition {
  readonly told: Told;
  readonly predicate: Predicate;
  readonly values: readonly Value[];
  /** The id of the one row that tells it of all that can be found, where there is such a one. */
  readonly only: Value | undefined;
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

/** How a predicate compares with places in the order of what is told. */
interface Comparing {
  readonly operator: string;
  /** Several values: equal to one, or to none. */
  readonly list: boolean;
  /** Whether it is true of few rows of each that tells, which PostgreSQL cannot know. */
  readonly few: boolean;
}

function comparing({ compares }: Predicate, [value]: readonly Value[]): Comparing | undefined {
  if (!compares) return undefined;
  const { operator, list } = compares;
  const equality = { '=': 'ANY', '<>': 'ALL' }[operator];
  if (equality) {
    if (list && list !== equality) return undefined;
    return { operator, list: list !== undefined, few: operator === '=' && !list };
  }
  if (list || !/^[<>]=?$/.test(operator)) return undefined;
  return { operator, list: false, few: operator.startsWith('<') && Number(value) <= 1000 };
}

/** Whether a condition finds rows by those that tell them, and not in the order of a page. */
export function isFar(predicate: Predicate, values: readonly Value[]): boolean {
  const found = comparing(predicate, values);
  return found !== undefined && !found.few && !found.list && found.operator !== '<>';
}

/**
 * What is compared with a value is compared with where that value would stand, which is found once
 * for each row that tells: so an index in order answers it.
 * @param whole whether the whole WHERE depends on it: then it becomes a join
 */
export function testTold(
  { told, predicate, values, only }: ToldCondition,
  { alias, shape: { table } }: Row,
  shapes: Shapes,
  accountId: number,
  whole: boolean,
): Sql {
  const asked = comparing(predicate, values);
  if (!asked) {
    const ask = (value: Sql) => predicate.test(value, told.kind, values);
    if (!whole) return ask(toldAlone(told, shapes, alias));
    return sql`EXISTS (SELECT FROM ${tellers(told, shapes, accountId, 'teller')}
      WHERE ${isTeller(told, alias, 'teller')} AND ${ask(toldValue(told, alias, 'teller'))})`;
  }
  const columns = (of: string) => join(told.order.map((each) => column(of, each)));
  const compare = (of: string, bound: Sql) =>
    sql`(${columns(of)}) ${raw(asked.operator)} (${bound})`;
  const wanted = asked.list
    ? sql`unnest(${values}::bigint[]) AS wanted (value)`
    : sql`(SELECT ${values[0]}::bigint AS value) AS wanted`;
  const from = sql`FROM ${name(shapes[told.by].table)} AS teller CROSS JOIN ${wanted}
    CROSS JOIN LATERAL (${orderAt(told, 'teller', 'wanted.value')}) AS bound WHERE teller.account_id = ${accountId}`;
  const bounds = sql`teller.id, ${columns('bound')} ${from}`;
  if (only !== undefined && !asked.list) {
    const of = (each: string) =>
      sql`(SELECT ${column('bound', each)} ${from} AND teller.id = ${only}::bigint)`;
    return compare(alias, join(told.order.map(of)));
  }
  if (asked.few || (!whole && isFar(predicate, values))) {
    return sql`${column(alias, 'id')} = ANY(ARRAY(SELECT found.id FROM (SELECT ${bounds}) AS bound CROSS JOIN LATERAL (
      SELECT found.id FROM ${name(table)} AS found WHERE found.account_id = ${accountId}
        AND ${column('found', told.key)} = bound.id AND ${compare('found', columns('bound'))} OFFSET 0) AS found))`;
  }
  if (isFar(predicate, values)) {
    // That there is one for each id lets PostgreSQL begin at either end.
    return sql`EXISTS (SELECT FROM (SELECT DISTINCT ON (teller.id) ${bounds} ORDER BY teller.id) AS bound
      WHERE bound.id = ${column(alias, told.key)} AND ${compare(alias, columns('bound'))})`;
  }
  const within = raw(asked.operator === '=' ? 'IN' : 'NOT IN');
  return sql`(${column(alias, told.key)}, ${columns(alias)}) ${within} (SELECT ${bounds})`;
}
