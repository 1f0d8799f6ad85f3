/** Places of stages within a pipeline: 1 to n, without gaps or repeats. */
import type { UnitOfWork } from '../../context/context.ts';
import { name, type Sql, sql } from '../../db/sql/sql.ts';
import { entriesOf } from '../audit/entry.ts';
import { clock } from '../kernel/write/moment.ts';

/** The place for a stage in a pipeline whose last place is `last`; null asks for that one. */
export const placeFor = (position: number | null | undefined, last: number): number =>
  Math.min(position ?? last, last);

/** Stages that shift by one place, so that one of them can come, go or move. */
export interface Shift {
  readonly pipelineId: number;
  /** The places of the first and of the last of them. */
  readonly first: number;
  readonly last: number;
  readonly by: 1 | -1;
}

/** A WITH query, named `shifted`. */
export const shiftStages = (ctx: UnitOfWork, { pipelineId, first, last, by }: Shift): Sql =>
  sql`shifted AS (
    UPDATE stages SET position = position + ${by}
    WHERE account_id = ${ctx.viewer.accountId} AND pipeline_id = ${pipelineId}
      AND position BETWEEN ${first} AND ${last}
  )`;

/**
 * What the audit trail records of them.
 * @param row the WITH query of the stage on whose account they shift
 */
export function shiftEntries({ first, last, by }: Shift, row: string): readonly Sql[] {
  if (first > last) return [];
  const changes = {
    before: { positions: [[first, last]] },
    after: { positions: [[first + by, last + by]] },
  };
  return [
    entriesOf('pipeline.reorder', row, changes, { id: sql`${name(row)}.pipeline_id`, at: clock }),
  ];
}
