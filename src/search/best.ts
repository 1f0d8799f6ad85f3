/**
 * The few records of an account that match best what was typed, without looking at all that match. The first
 * records of the account are looked at first: where they are all, or a word is so common that they already have enough
 * of a rank, these are the ones. Of what is rarer an index finds all; to plan for that takes more than to look at a few.
 */
import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import type { Row } from './associations.ts';
import type { Words } from './search.ts';
import {
  isFound,
  isRankIndexed,
  meetsRank,
  puttingTogether,
  rankAmongAll,
  ranks,
  type Tier,
  textOf,
} from './word_search.ts';

/** How many of the first records are looked at. */
const first = 2000;

export interface BestRequest {
  readonly shape: ShapeName;
  readonly shapes: Shapes;
  readonly accountId: number;
  readonly words: Words;
  /** At most how many, from 1. */
  readonly limit: number;
}

/** What the first records of an account tell. */
export interface FirstMatches {
  /** Whether there are no others. */
  readonly isAll: boolean;
  /** The rank of those that match, and their ids, in order: of each rank no more than are asked for. */
  readonly ranked: readonly (readonly [rank: Tier, id: number])[];
}

/** @returns SQL of the text of {@link FirstMatches} as JSON */
export function seenFirst(request: BestRequest): Sql {
  const { shape, shapes, accountId, limit } = request;
  const row: Row = { shape: shapes[shape], alias: 'r' };
  const { joins, rank } = rankIn(row, request);
  const seen = sql`SELECT r.id, ${rank} AS rank FROM (
      SELECT * FROM ${name(row.shape.table)} AS r WHERE r.account_id = ${accountId} ORDER BY r.id LIMIT ${raw(String(first))}) AS r ${joins}`;
  const numbered = sql`SELECT rank, id, row_number() OVER (PARTITION BY rank ORDER BY id) AS nth FROM seen WHERE rank IS NOT NULL`;
  return sql`(WITH seen AS MATERIALIZED (${seen}), numbered AS (${numbered}) SELECT json_build_object(
      'isAll', (SELECT count(*) < ${raw(String(first))} FROM seen),
      'ranked', (SELECT coalesce(json_agg(json_build_array(rank, id) ORDER BY rank, id), '[]') FROM numbered WHERE nth <= ${limit}))::text)`;
}

/** The rank of a row, null where it has not all words, and the joins that it needs. */
function rankIn(row: Row, { shapes, accountId, words }: BestRequest) {
  const { joins, text } = textOf(row, shapes, accountId, 'other');
  const of = (folded: Sql) => rankAmongAll(folded, words);
  return { joins, rank: row.shape.foundWith ? puttingTogether(text, of) : of(text) };
}

/**
 * @param seen what {@link seenFirst} found
 * @returns SQL of an array of the ids of the records that match best, the best first
 */
export function bestIds(request: BestRequest, seen: FirstMatches): Sql {
  const { shape, shapes, accountId, words, limit } = request;
  if (seen.isAll) {
    const ids = seen.ranked.slice(0, limit).map(([, id]) => id);
    return sql`${ids}::bigint[]`;
  }
  const row: Row = { shape: shapes[shape], alias: 'r' };
  const table = name(row.shape.table);
  const { joins, rank: value } = rankIn(row, request);
  const known = (rank: Tier): readonly number[] =>
    seen.ranked.filter(([of]) => of === rank).map(([, id]) => id);
  const enough = ranks.find((rank) => known(rank).length >= limit);
  const ids = (rank: Tier) => name(`rank${rank}`);
  const steps: Sql[] = [];
  const done: Tier[] = [];
  const step = (rank: Tier, value: Sql) => {
    const before = done.map((other) => sql`(SELECT cardinality(ids) FROM ${ids(other)})`);
    const rest =
      before.length === 0
        ? value
        : sql`CASE WHEN ${join(before, ' + ')} >= ${limit} THEN '{}'::bigint[] ELSE ${value} END`;
    steps.push(sql`${ids(rank)} AS MATERIALIZED (SELECT ${rest} AS ids)`);
    done.push(rank);
  };
  for (const rank of lookedUp(enough, words)) {
    const min = done.at(-1) ?? 0;
    const from = sql`FROM ${table} AS r ${joins} WHERE r.account_id = ${accountId}`;
    if (min === rank - 1 && !isRankIndexed(rank, words)) {
      if (enough === undefined && rank < 4) {
        // Few have them, and no index helps: all that is left is found in one look at all records.
        const all = sql`SELECT r.id, ${value} AS rank ${from} OFFSET 0`;
        step(
          4,
          sql`ARRAY(SELECT id FROM (${all}) AS found WHERE rank > ${raw(String(min))} ORDER BY rank, id LIMIT ${limit})`,
        );
        break;
      }
      // They are looked through in their order until there are enough.
      const is = sql`${value} = ${raw(String(rank))}`;
      step(rank, sql`ARRAY(SELECT r.id ${from} AND ${is} ORDER BY r.id LIMIT ${limit})`);
      continue;
    }
    // OFFSET 0 keeps PostgreSQL from looking through all records in their order.
    step(
      rank,
      sql`ARRAY(SELECT id FROM (SELECT r.id, ${value} AS rank ${from}
          AND ${meetsRank(row, rank, words, shapes, accountId, 'by')} OFFSET 0) AS found
        WHERE rank > ${raw(String(min))} AND rank <= ${raw(String(rank))} ORDER BY rank, id LIMIT ${limit})`,
    );
  }
  if (enough !== undefined) step(enough, sql`${known(enough)}::bigint[]`);
  const together = join(
    done.map((rank) => sql`(SELECT ids FROM ${ids(rank)})`),
    ' || ',
  );
  return sql`(WITH ${join(steps)} SELECT (${together})[1:${limit}::integer])`;
}

/**
 * The ranks that are looked up one after the other, each with those before it that are not: where few of the first
 * records have the words, few have in all, and where few are of a rank, an index finds these with those before it.
 * @param enough the first rank that the first records have enough of
 */
function lookedUp(enough: Tier | undefined, words: Words): readonly Tier[] {
  if (enough === undefined && words.all.some(isFound)) return [4];
  const before = ranks.filter((rank) => enough === undefined || rank < enough);
  return before.filter((rank) => rank !== 1 || !before.includes(2) || !isRankIndexed(2, words));
}
