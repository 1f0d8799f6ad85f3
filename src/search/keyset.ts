/** Keyset pagination: pages that are not counted, and those that continue after a cursor. */
import { join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import { boundOf, isAfter, type KeyBounds, rangesAfter } from './after_cursor.ts';
import { type Cursor, Digest } from './cursor.ts';
import { compileOrder, type Key, type Order, orderBy } from './order.ts';
import { isCostly, plannedForItsValues } from './plan.ts';
import { conditionsOf, records, type SearchRequest, slice } from './statement.ts';

export interface KeysetRequest extends SearchRequest {
  /** The cursor to continue after; `page` is 1 then. The first page when not given. */
  readonly after?: Cursor | undefined;
  /** Whether all that match are counted. */
  readonly isCounted: boolean;
}

/**
 * The records after a cursor, or of a page, and one more if there is one.
 * @returns SQL of one row: `count` (bigint; null when not counted), `is_known` (whether the cursor's record
 *   still has the values that it sorts by), and the columns of {@link records}
 */
export function keysetStatement(request: KeysetRequest): Sql {
  const { shape, shapes, accountId, search, after, isCounted } = request;
  const { where } = request.conditions ?? conditionsOf(request);
  const { joins, keys } = compileOrder(search, 'r', shapes, accountId);
  const table = sql`${name(shapes[shape].table)} AS r`;
  const matching = sql`r.account_id = ${accountId} ${plannedForItsValues(search.where)} AND ${where}`;
  const values = after ? valuesAt(after, keys, request) : [];
  const known = values
    .filter(({ isLookedUp }) => isLookedUp)
    .map(({ at }) => sql`${at} IS NOT NULL`);
  const isKnown = known.length > 0 ? join(known, ' AND ') : raw('true');
  const boundsOf = (of: Order['keys']) =>
    bounds(
      of,
      values.map(({ at }) => at),
    );
  const rest = (count: Sql, ids: Sql) =>
    sql`SELECT ${isCounted ? count : raw('NULL::bigint')} AS count, ${isKnown} AS is_known, shown.* FROM ${records(request, ids, 1)} AS shown`;
  if (isCostly(search, shapes)) {
    // What is costly to decide is decided once for each record, and is counted then anyway.
    const columns = keys.map(({ value }, at) => sql`${value} AS ${name(`k${at}`)}`);
    const [first, ...more] = keys.map(
      (key, at): Key => ({ ...key, value: sql`${name(`k${at}`)}` }),
    );
    const of: Order['keys'] = first ? [first, ...more] : keys;
    const condition = after ? isAfter(boundsOf(of)) : raw('true');
    const ids = sql`SELECT id FROM found WHERE ${condition} ORDER BY ${orderBy(of)} ${slice(request, 1)}`;
    return sql`WITH found AS MATERIALIZED (SELECT r.id, ${join(columns)} FROM ${table} ${joins} WHERE ${matching})
      ${rest(sql`(SELECT count(*) FROM found)`, sql`ARRAY(${ids})`)}`;
  }
  const parts = after ? rangesAfter(boundsOf(keys)) : [raw('true')];
  const idsOf = (part: Sql) =>
    sql`SELECT r.id FROM ${table} ${joins} WHERE ${matching} AND ${part} ORDER BY ${orderBy(keys)} ${slice(request, 1)}`;
  return rest(
    sql`(SELECT count(*) FROM ${table} WHERE ${matching})`,
    oneAfterTheOther(parts.map(idsOf), request.perPage + 1),
  );
}

/**
 * An array of the first ids of several SELECTs, in order; once there are enough, the rest are not run. None of them returns more than that, which lets PostgreSQL plan for few.
 */
function oneAfterTheOther(selects: readonly Sql[], max: number): Sql {
  const [only, ...others] = selects;
  if (!only) return raw("'{}'::bigint[]");
  if (others.length === 0) return sql`ARRAY(${only})`;
  const named = (at: number) => name(`part${at}`);
  const parts = selects.map((select, at) => {
    const before = selects
      .slice(0, at)
      .map((_, of) => sql`cardinality((SELECT ids FROM ${named(of)}))`);
    const left = join([max, ...before], ' - ');
    return sql`${named(at)} AS MATERIALIZED (SELECT ARRAY(SELECT id FROM (${select}) AS part LIMIT ${left}) AS ids)`;
  });
  const all = selects.map((_, at) => sql`(SELECT ids FROM ${named(at)})`);
  return sql`(WITH ${join(parts)} SELECT ${join(all, ' || ')})`;
}

interface ValueAt {
  /** As it is sent, or SQL that looks it up. */
  readonly at: unknown;
  readonly isLookedUp: boolean;
}

/** The cursor's value of each key. */
function valuesAt(
  { values }: Cursor,
  keys: Order['keys'],
  request: KeysetRequest,
): readonly ValueAt[] {
  const id = values.at(-1);
  return values.map((at, of) =>
    at instanceof Digest && keys[of]
      ? { at: lookedUp(at, keys[of], id, request), isLookedUp: true }
      : { at, isLookedUp: false },
  );
}

/** The text of a record as it was when it had the digest; null when it has not any more. */
function lookedUp({ sha256 }: Digest, { value }: Key, id: unknown, request: KeysetRequest): Sql {
  const { search, shape, shapes, accountId } = request;
  const { joins } = compileOrder(search, 'r', shapes, accountId);
  return sql`(SELECT ${value} FROM ${name(shapes[shape].table)} AS r ${joins} WHERE r.account_id = ${accountId} AND r.id = ${id}::bigint
    AND encode(sha256(convert_to(${value}, 'UTF8')), 'hex') = ${sha256})`;
}

function bounds([first, ...more]: Order['keys'], values: readonly unknown[]): KeyBounds {
  return [boundOf(first, values[0]), ...more.map((key, at) => boundOf(key, values[at + 1]))];
}
