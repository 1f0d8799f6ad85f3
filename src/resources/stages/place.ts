/** Places of stages within a pipeline: 1 to n, without gaps or repeats. */
import type { UnitOfWork } from '../../context.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** The place for a stage in a pipeline whose last place is `last`; null asks for that one. */
export const placeFor = (wanted: number | null | undefined, last: number): number =>
  Math.min(wanted ?? last, last);

/** A WITH query, named `opened`, that opens a gap at a place. */
export const openStagePlace = (ctx: UnitOfWork, pipelineId: number, position: number): Sql =>
  sql`opened AS (
    UPDATE stages SET position = position + 1
    WHERE account_id = ${ctx.viewer.accountId} AND pipeline_id = ${pipelineId} AND position >= ${position}
  )`;

/** A WITH query, named `closed`, that closes the gap that a stage leaves. */
export const closeStagePlace = (ctx: UnitOfWork, pipelineId: number, position: number): Sql =>
  sql`closed AS (
    UPDATE stages SET position = position - 1
    WHERE account_id = ${ctx.viewer.accountId} AND pipeline_id = ${pipelineId} AND position > ${position}
  )`;

/** A WITH query, named `shifted`, that moves the stages between two places out of the way. */
export function shiftStages(ctx: UnitOfWork, pipelineId: number, from: number, to: number): Sql {
  const [step, first, last] = from < to ? [-1, from + 1, to] : [1, to, from - 1];
  return sql`shifted AS (
    UPDATE stages SET position = position + ${step}
    WHERE account_id = ${ctx.viewer.accountId} AND pipeline_id = ${pipelineId}
      AND position BETWEEN ${first} AND ${last}
  )`;
}
