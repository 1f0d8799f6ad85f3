/**
 * Places of deals within a stage: 1 to n, without gaps or repeats. Whatever changes places of a
 * stage holds the lock of the stage's row, and `stages.deals_count` is the place of its last
 * deal, so that appending needs no look at the others.
 */
import { conflict } from '../../db/errors.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import type { Working } from '../record.ts';

export interface Place {
  readonly stage_id: number;
  readonly position: number;
}

/**
 * Locks stages, in the order of their ids so that no two calls wait for each other.
 * @returns how many deals stand in each
 */
export async function lockStages(
  ctx: Working,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await ctx.db.query<{ id: number; deals_count: number }>(
    sql`SELECT id, deals_count FROM stages
        WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])
        ORDER BY id FOR NO KEY UPDATE`,
    { named: true },
  );
  return new Map(rows.map((row) => [row.id, row.deals_count]));
}

/**
 * Where a deal lands.
 * @param wanted the place asked for; null for the end, undefined when none was asked for
 * @param counts of the stages locked
 */
export function landing(
  from: Place,
  stageId: number,
  wanted: number | null | undefined,
  counts: ReadonlyMap<number, number>,
): Place {
  const count = counts.get(stageId);
  if (count === undefined) throw conflict();
  const stays = from.stage_id === stageId;
  if (stays && wanted === undefined) return from;
  const last = stays ? count : count + 1;
  return { stage_id: stageId, position: Math.min(wanted ?? last, last) };
}

/** WITH query that opens a gap at a place; its stage must be locked. */
export const openPlace = (ctx: Working, stageId: number, position: number): Sql =>
  sql`opened AS (
    UPDATE deals SET position = position + 1
    WHERE account_id = ${ctx.viewer.accountId} AND stage_id = ${stageId} AND position >= ${position}
  )`;

/** WITH query that closes the gap which a deal leaves; its stage must be locked. */
const closePlace = (ctx: Working, { stage_id, position }: Place): Sql =>
  sql`closed AS (
    UPDATE deals SET position = position - 1
    WHERE account_id = ${ctx.viewer.accountId} AND stage_id = ${stage_id} AND position > ${position}
  )`;

/** WITH queries that close the gap of a deal that goes for good and count it out. */
export const takeOut = (ctx: Working, from: Place): Sql =>
  sql`${closePlace(ctx, from)}, counted AS (
    UPDATE stages SET deals_count = deals_count - 1
    WHERE account_id = ${ctx.viewer.accountId} AND id = ${from.stage_id}
  )`;

/** WITH queries that move the other deals out of the way of one; both stages must be locked. */
export function makeWay(ctx: Working, from: Place, to: Place): Sql {
  const { accountId } = ctx.viewer;
  if (from.stage_id === to.stage_id) {
    const [step, first, last] =
      from.position < to.position
        ? [-1, from.position + 1, to.position]
        : [1, to.position, from.position - 1];
    return sql`shifted AS (
      UPDATE deals SET position = position + ${step}
      WHERE account_id = ${accountId} AND stage_id = ${from.stage_id}
        AND position BETWEEN ${first} AND ${last}
    )`;
  }
  return join(
    [
      closePlace(ctx, from),
      openPlace(ctx, to.stage_id, to.position),
      sql`counted AS (
        UPDATE stages SET deals_count = deals_count + CASE WHEN id = ${to.stage_id} THEN 1 ELSE -1 END
        WHERE account_id = ${accountId} AND id IN (${from.stage_id}, ${to.stage_id})
      )`,
    ],
    ', ',
  );
}

/** Closes the gaps that deals left in stages, which must be locked. */
export async function closeGaps(ctx: Working, stageIds: readonly number[]): Promise<void> {
  if (stageIds.length === 0) return;
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`WITH ranked AS (
        SELECT id, position, stage_id, row_number() OVER (PARTITION BY stage_id ORDER BY position) AS place
        FROM deals WHERE account_id = ${accountId} AND stage_id = ANY(${stageIds}::bigint[])
      ), closed AS (
        UPDATE deals SET position = ranked.place FROM ranked
        WHERE deals.account_id = ${accountId} AND deals.id = ranked.id AND ranked.position <> ranked.place
      )
      UPDATE stages SET deals_count = (SELECT count(*) FROM ranked WHERE ranked.stage_id = stages.id)
      WHERE account_id = ${accountId} AND id = ANY(${stageIds}::bigint[])`,
    { named: true },
  );
}
