import type { ShapeName, Shapes } from '../db/shape.ts';
import { empty, join, name, type Sql, sql } from '../db/sql.ts';
import { isTeller, tellerOf } from '../db/told.ts';
import { compileWhere } from './compile.ts';
import { compileOrder, orderBy } from './order.ts';
import { isCostly, plannedForItsValues } from './plan.ts';
import type { Search } from './search.ts';
import { onlyValue } from './told.ts';

export interface SearchRequest {
  readonly shape: ShapeName;
  readonly shapes: Shapes;
  readonly accountId: number;
  readonly search: Search;
  readonly page: number;
  readonly perPage: number;
  /** The SQL of one record, of type json, over the row that the statement knows by the alias, with
   * those that tell of it beside. */
  readonly record: (alias: string) => Sql;
}

/**
 * One page of what a search finds and how many it finds, in one statement.
 * @returns SQL of one row: `count` (bigint) and `data` (the text of a JSON array, in order)
 */
export function searchStatement(request: SearchRequest): Sql {
  const { shape, shapes, accountId, search } = request;
  const where = compileWhere(search, 'r', shapes, accountId);
  const { joins, keys } = compileOrder(search, 'r', shapes, accountId);
  const table = sql`${name(shapes[shape].table)} AS r`;
  const matching = sql`r.account_id = ${accountId} ${plannedForItsValues(search.where)} AND ${where}`;
  if (!isCostly(search.where, shapes[shape])) {
    const ids = sql`SELECT r.id FROM ${table} ${joins} WHERE ${matching} ORDER BY ${orderBy(keys)} ${slice(request)}`;
    return sql`SELECT (SELECT count(*) FROM ${table} WHERE ${matching}) AS count, ${records(request, ids)} AS data`;
  }
  // What is costly to decide is decided once for each record, for the count and the page alike.
  if (keys.length === 1) {
    const found = sql`SELECT count(*) AS count, array_agg(r.id) AS ids FROM ${table} WHERE ${matching}`;
    const ids = sql`SELECT unnest(ids) AS id FROM found ORDER BY id ${keys[0].direction} ${slice(request)}`;
    return sql`WITH found AS MATERIALIZED (${found})
      SELECT (SELECT count FROM found) AS count, ${records(request, ids)} AS data`;
  }
  const values = keys.map(({ value }, at) => sql`${value} AS ${name(`k${at}`)}`);
  const ordered = keys.map(({ direction }, at) => sql`${name(`k${at}`)} ${direction}`);
  const ids = sql`SELECT id FROM found ORDER BY ${join(ordered)} ${slice(request)}`;
  return sql`WITH found AS MATERIALIZED (SELECT r.id, ${join(values)} FROM ${table} ${joins} WHERE ${matching})
    SELECT (SELECT count(*) FROM found) AS count, ${records(request, ids)} AS data`;
}

function slice({ page, perPage }: SearchRequest): Sql {
  const offset = (page - 1) * perPage;
  return sql`LIMIT ${perPage} ${offset === 0 ? empty : sql`OFFSET ${offset}`}`;
}

/** The records of a list of ids, in its order: only these rows are read whole. */
function records({ shape, shapes, accountId, search, record }: SearchRequest, ids: Sql): Sql {
  const tellers = Object.values(shapes[shape].told ?? {}).map((told) => {
    const only = onlyValue(search.where, told.key);
    const by = tellerOf('r');
    const on =
      only === undefined
        ? isTeller(told, 'r', by)
        : sql`${name(by)}.account_id = ${accountId} AND ${name(by)}.id = ${only}::bigint`;
    return sql` LEFT JOIN ${name(shapes[told.by].table)} AS ${name(by)} ON ${on}`;
  });
  return sql`(SELECT '[' || coalesce(string_agg(${record('r')}::text, ',' ORDER BY page.place), '') || ']'
    FROM unnest(ARRAY(${ids})) WITH ORDINALITY AS page(id, place)
    JOIN ${name(shapes[shape].table)} AS r ON r.account_id = ${accountId} AND r.id = page.id${tellers.length > 0 ? join(tellers, '') : empty})`;
}
