/**
 * The few records of an account that match best what was typed, without looking at all that match. The first
 * records of the account come first: where a word is so common that they already have enough of a rank, these are
 * the ones; of what is rarer an index finds all.
 */
import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import type { Row } from './associations.ts';
import { meetsRank, rankAmongAll, ranked, ranks, type Tier, textOf } from './found.ts';
import type { Words } from './search.ts';

/** How many of the first records are looked at; fewer where each takes a look at another one. */
const first = { alone: 2000, joined: 1000 };

export interface BestRequest {
  readonly shape: ShapeName;
  readonly shapes: Shapes;
  readonly accountId: number;
  readonly words: Words;
  /** At most how many, from 1. */
  readonly limit: number;
}

/** @returns SQL of an array of the ids of the records that match best, the best first */
export function bestIds(request: BestRequest): Sql {
  const { shape, shapes, accountId, words, limit } = request;
  const row: Row = { shape: shapes[shape], alias: 'r' };
  const table = name(row.shape.table);
  const count = row.shape.foundWith ? first.joined : first.alone;
  const { joins, text } = textOf(row, shapes, accountId, 'other');
  const seen = sql`SELECT r.id, ${rankAmongAll(text, words)} AS rank FROM (
      SELECT * FROM ${table} AS r WHERE r.account_id = ${accountId} ORDER BY r.id LIMIT ${raw(String(count))}) AS r ${joins}`;
  const all = sql`ARRAY(SELECT id FROM seen WHERE rank IS NOT NULL ORDER BY rank, id LIMIT ${limit})`;
  const ids = (rank: Tier) => name(`rank${rank}`);
  const enough = (rank: Tier): Sql =>
    sql`(SELECT count(*) >= ${limit} FROM seen WHERE rank = ${raw(String(rank))})`;
  const among = (rank: Tier): Sql =>
    sql`ARRAY(SELECT id FROM seen WHERE rank = ${raw(String(rank))} ORDER BY id LIMIT ${limit})`;
  // OFFSET 0 keeps PostgreSQL from looking through all records in their order.
  const found = (rank: Tier): Sql =>
    sql`ARRAY(SELECT id FROM (SELECT r.id FROM ${table} AS r ${joins} WHERE r.account_id = ${accountId}
        AND ${meetsRank(row, rank, words, shapes, accountId, 'by')} AND ${ranked(text, words)} = ${raw(String(rank))} OFFSET 0) AS found
      ORDER BY id LIMIT ${limit})`;
  const before = (rank: Tier): Sql =>
    join(
      ranks
        .filter((other) => other < rank)
        .map((other) => sql`(SELECT cardinality(ids) FROM ${ids(other)})`),
      ' + ',
    );
  const steps = ranks.map((rank) => {
    const rest = sql`CASE WHEN ${enough(rank)} THEN ${among(rank)} ELSE ${found(rank)} END`;
    const value =
      // What equals is seldom common, and comes before all that is.
      rank === 1
        ? found(1)
        : sql`CASE WHEN ${before(rank)} >= ${limit} THEN '{}'::bigint[] ELSE ${rest} END`;
    return sql`${ids(rank)} AS MATERIALIZED (SELECT ${value} AS ids)`;
  });
  const together = join(
    ranks.map((rank) => sql`(SELECT ids FROM ${ids(rank)})`),
    ' || ',
  );
  return sql`(WITH seen AS MATERIALIZED (${seen}), ${join(steps)}
    SELECT CASE WHEN (SELECT count(*) < ${raw(String(count))} FROM seen) THEN ${all} ELSE (${together})[1:${limit}::integer] END)`;
}
