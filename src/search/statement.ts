import { sourceCte } from '../db/sql/computed_column.ts';
import type { PositionFrom } from '../db/sql/select.ts';
import type { ComputedColumn, Shape, ShapeName, Shapes } from '../db/sql/shape.ts';
import { type AccountId, empty, join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import { compileWhere } from './compile.ts';
import { computedPerSource, onlyValue, SourceRows } from './computed_column.ts';
import { compileOrder, orderBy } from './order.ts';
import { findsBySources, isCostly, plannedForItsValues } from './plan.ts';
import type { Value } from './predicate.ts';
import type { Search } from './search.ts';
import { textOf } from './word_search.ts';

export interface SearchRequest {
  readonly shape: ShapeName;
  readonly shapes: Shapes;
  readonly accountId: AccountId;
  readonly search: Search;
  /** The conditions of the search, where they are compiled already. */
  readonly conditions?: Conditions;
  /** Whether few records have the one text that is looked for. */
  readonly isRare?: boolean | undefined;
  readonly page: number;
  readonly perPage: number;
  /** The SQL of one record as JSON, of type text, over the row that the statement knows by the alias. */
  readonly record: (alias: string, positionFrom: PositionFrom, account: AccountId) => Sql;
}

/** The conditions of a search, compiled over the row that the statement knows as `r`. */
export interface Conditions {
  readonly where: Sql;
  /** The id of the one source row that all rows have, where the conditions say so; or what stands for it. */
  readonly only: unknown;
}

export const conditionsOf = ({ shape, shapes, accountId, search }: SearchRequest): Conditions => ({
  where: compileWhere(search, 'r', shapes, accountId),
  only: onlySource(shapes[shape], search),
});

/** Undefined also where the rows have several source rows' columns. */
function onlySource({ computed = {} }: Shape, { where }: Search): Value | undefined {
  const [one, ...others] = Object.values(computed);
  return one && others.length === 0 ? onlyValue(where, one.key) : undefined;
}

/**
 * One page of what a search finds and how many it finds, in one statement.
 * @returns SQL of one row: `count` (bigint), and the columns of {@link records}
 */
export function searchStatement(request: SearchRequest): Sql {
  const { shape, shapes, accountId, search } = request;
  const costly = isCostly(search, shapes);
  const computed = computedPerSource(search, shapes[shape]);
  if (computed && !costly) return byEach(request, computed);
  const { where } = request.conditions ?? conditionsOf(request);
  const { joins, keys } = compileOrder(search, 'r', shapes, accountId);
  const table = sql`${name(shapes[shape].table)} AS r`;
  const matching = sql`r.account_id = ${accountId} ${plannedForItsValues(search.where, request.isRare)} AND ${where}`;
  if (!costly && !findsBySources(search.where, shapes[shape])) {
    const ids = sql`SELECT r.id FROM ${table} ${joins} WHERE ${matching} ORDER BY ${orderBy(keys)} ${slice(request)}`;
    return sql`SELECT (SELECT count(*) FROM ${table} WHERE ${matching}) AS count, shown.* FROM ${records(request, sql`ARRAY(${ids})`)} AS shown`;
  }
  // What is costly to decide is decided once for each record, for the count and the page alike.
  if (keys.length === 1) {
    const found = sql`SELECT count(*) AS count, array_agg(r.id) AS ids FROM ${table} WHERE ${matching}`;
    const ids = sql`SELECT unnest(ids) AS id FROM found ORDER BY id ${keys[0].direction} ${slice(request)}`;
    return sql`WITH found AS MATERIALIZED (${found})
      SELECT (SELECT count FROM found) AS count, shown.* FROM ${records(request, sql`ARRAY(${ids})`)} AS shown`;
  }
  if (computed) {
    const within = compileOrder(search, 'r', shapes, accountId, true);
    const nth = sql`row_number() OVER (PARTITION BY r.${name(computed.key)} ORDER BY ${orderBy(within.keys)}) AS nth`;
    const ids = sql`SELECT r.id FROM found JOIN ${table} ON r.account_id = ${accountId} AND r.id = found.id ${joins}
      WHERE nth <= ${reach(request)} ORDER BY ${orderBy(keys)} ${slice(request)}`;
    return sql`WITH found AS MATERIALIZED (SELECT r.id, ${nth} FROM ${table} ${within.joins} WHERE ${matching})
      SELECT (SELECT count(*) FROM found) AS count, shown.* FROM ${records(request, sql`ARRAY(${ids})`)} AS shown`;
  }
  const values = keys.map(({ value }, at) => sql`${value} AS ${name(`k${at}`)}`);
  const ordered = keys.map(({ direction }, at) => sql`${name(`k${at}`)} ${direction}`);
  const ids = sql`SELECT id FROM found ORDER BY ${join(ordered)} ${slice(request)}`;
  return sql`WITH found AS MATERIALIZED (SELECT r.id, ${join(values)} FROM ${table} ${joins} WHERE ${matching})
    SELECT (SELECT count(*) FROM found) AS count, shown.* FROM ${records(request, sql`ARRAY(${ids})`)} AS shown`;
}

/** All records that a search finds, in its order: SQL of a row for each, with its JSON as text. */
export function allStatement({
  shape,
  shapes,
  accountId,
  search,
  record,
}: Omit<SearchRequest, 'page' | 'perPage'>): Sql {
  const where = compileWhere(search, 'r', shapes, accountId);
  const { joins, keys } = compileOrder(search, 'r', shapes, accountId);
  return sql`SELECT ${record('r', 'subquery', accountId)} AS record FROM ${name(shapes[shape].table)} AS r ${joins}
    WHERE r.account_id = ${accountId} ${plannedForItsValues(search.where)} AND ${where} ORDER BY ${orderBy(keys)}`;
}

/** A SELECT without columns of all that a search finds, in any order. */
export function matchingStatement(search: Search, shapes: Shapes, accountId: number): Sql {
  const where = compileWhere(search, 'r', shapes, accountId);
  return sql`SELECT FROM ${name(shapes[search.shape].table)} AS r
    WHERE r.account_id = ${accountId} ${plannedForItsValues(search.where)} AND ${where}`;
}

/** Finds for each source row the rows that may be on the page: only for these few are the values computed. */
function byEach(request: SearchRequest, computed: ComputedColumn): Sql {
  const { shape, shapes, accountId, search } = request;
  const sources = new SourceRows(computed);
  const where = compileWhere(search, 'r', shapes, accountId, sources);
  const within = compileOrder(search, 'r', shapes, accountId, true);
  const table = sql`${name(shapes[shape].table)} AS r`;
  const matching = sql`r.account_id = ${accountId} AND r.${name(computed.key)} = each.id AND ${where}`;
  const only = onlyValue(search.where, computed.key);
  const each = sources.select(shapes[shape].table, shapes, accountId, only);
  const all = compileOrder(search, 'r', shapes, accountId);
  const idsOf = (tail: Sql) => sql`SELECT r.id FROM each CROSS JOIN LATERAL (
      SELECT r.* FROM ${table} ${within.joins} WHERE ${matching} ${tail}) AS r ${all.joins} ORDER BY ${orderBy(all.keys)} ${slice(request)}`;
  const first = idsOf(sql`ORDER BY ${orderBy(within.keys)} LIMIT ${reach(request)}`);
  const found = sql`SELECT coalesce(sum(of_each.count), 0)::bigint AS count FROM each
      CROSS JOIN LATERAL (SELECT count(*) FROM ${table} WHERE ${matching}) AS of_each`;
  const { column, path } = search.sorts[0]?.attribute ?? {};
  const isInOrder = path?.length === 0 && column && shapes[shape].computed?.[column] === computed;
  // In another order few are found sooner among all that match, many by deciding one after the other.
  const ids = isInOrder
    ? sql`ARRAY(${first})`
    : sql`CASE WHEN (SELECT count FROM found) > ${raw(many)} THEN ARRAY(${first}) ELSE ARRAY(${idsOf(sql`OFFSET 0`)}) END`;
  return sql`WITH each AS MATERIALIZED (${each}), found AS MATERIALIZED (${found})
    SELECT (SELECT count FROM found) AS count, shown.* FROM ${records(request, ids)} AS shown`;
}

/**
 * With more matches than this, the first of each source's rows in order are found without looking
 * through all.
 */
const many = '50000';

/** How many records there are up to the page's end. */
const reach = ({ page, perPage }: SearchRequest): number => page * perPage;

/** @param more records than a page has, to see whether there are any */
export function slice({ page, perPage }: SearchRequest, more = 0): Sql {
  const offset = (page - 1) * perPage;
  return sql`LIMIT ${perPage + more} ${offset === 0 ? empty : sql`OFFSET ${offset}`}`;
}

/**
 * The records of an array of ids, in its order: only these rows are read whole.
 * @param ids of a page, or of those and one more
 * @returns SQL of one row, to stand after FROM: `data` (the text of a JSON array of those on the
 *   page), `items` (how many there are, that one more included) and `place` (of a full page, the
 *   JSON array of what its last record is ordered by)
 */
export function records(request: SearchRequest, ids: Sql, more = 0): Sql {
  const { shape, shapes, accountId, search, perPage, record } = request;
  const [computed] = Object.values(shapes[shape].computed ?? {});
  const only = request.conditions ? request.conditions.only : onlySource(shapes[shape], search);
  const one = computed && only !== undefined;
  const source = one ? sql`WITH ${sourceCte(computed, shapes, accountId, only, 'r')} ` : empty;
  const { joins, keys } = compileOrder(search, 'r', shapes, accountId);
  const onPage = more > 0 ? sql` FILTER (WHERE page.place <= ${perPage})` : empty;
  return sql`(${source}SELECT '[' || coalesce(string_agg(${record('r', one ? 'cte' : 'subquery', accountId)}, ',' ORDER BY page.place)${onPage}, '') || ']' AS data,
      count(*) AS items, max(json_build_array(${join(keys.map(({ value }) => value))})::text) FILTER (WHERE page.place = ${perPage}) AS place
    FROM unnest(${ids}) WITH ORDINALITY AS page(id, place)
    JOIN ${name(shapes[shape].table)} AS r ON r.account_id = ${accountId} AND r.id = page.id ${joins})`;
}

/** Records that may be like what was typed, looked at by the service, which knows. */
const maxCandidates = 1000;

/**
 * Records that meet a search, whose words are patterns of what is like them.
 * @returns SQL of a row for each, up to a bound: `id` and `text`, the folded text
 */
export function candidatesStatement(search: Search, shapes: Shapes, accountId: number): Sql {
  const where = compileWhere(search, 'r', shapes, accountId);
  const row = { shape: shapes[search.shape], alias: 'r' };
  const { text, joins } = textOf(row, shapes, accountId, 'other');
  return sql`SELECT r.id, ${text} AS text FROM ${name(row.shape.table)} AS r ${joins}
    WHERE r.account_id = ${accountId} ${plannedForItsValues(search.where)} AND ${where} LIMIT ${raw(String(maxCandidates))}`;
}

/**
 * The first records of an account.
 * @param max how many
 * @returns SQL of a row for each: `id`, `text`, the folded text, and `indexed`, all that indexes find it by
 */
export function firstStatement(
  shape: ShapeName,
  shapes: Shapes,
  accountId: number,
  max: number,
): Sql {
  const row = { shape: shapes[shape], alias: 'r' };
  const { text, indexed, joins } = textOf(row, shapes, accountId, 'other');
  return sql`SELECT r.id, ${text} AS text, ${indexed} AS indexed FROM (
      SELECT * FROM ${name(row.shape.table)} AS r WHERE r.account_id = ${accountId} ORDER BY r.id LIMIT ${raw(String(max))}) AS r ${joins}`;
}
