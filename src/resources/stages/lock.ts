/** Locks for changing the stages of a pipeline: its row comes first, then those of the stages. */

import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { invalid, notFound } from '../../errors/errors.ts';
import { type Current, snapshot, type Unread } from '../kernel/write/update_after_read.ts';
import { stages } from './record.ts';

/** A stage that is locked until the transaction ends. */
type LockedStage = Current<typeof stages.fields> & {
  readonly position: number;
  readonly deals_count: number;
};

const { columns, read: readRow } = snapshot(stages, 's');

/**
 * Locks a pipeline and its stages, by id as moves of deals do, so that no two calls wait for each
 * other.
 * @returns undefined when the account has no such pipeline
 */
export async function lockPipeline(
  ctx: UnitOfWork,
  id: number,
): Promise<readonly LockedStage[] | undefined> {
  const { accountId } = ctx.viewer;
  const pipelines = await ctx.db.query(
    sql`SELECT FROM pipelines WHERE account_id = ${accountId} AND id = ${id} FOR NO KEY UPDATE`,
  );
  if (pipelines.length === 0) return undefined;
  const rows = await ctx.db.query<Unread<LockedStage>>(
    sql`SELECT ${columns}, s.deals_count FROM stages AS s
        WHERE s.account_id = ${accountId} AND s.pipeline_id = ${id} ORDER BY s.id FOR UPDATE`,
  );
  return rows.map(readRow);
}

/**
 * Locks a stage with its pipeline and the pipeline's other stages.
 * @returns the stage, and how many the pipeline has
 * @throws {Fault} NOT_FOUND
 */
export async function lockStage(
  ctx: UnitOfWork,
  id: number,
): Promise<{ stage: LockedStage; count: number }> {
  const [row] = await ctx.db.query<{ pipeline_id: number }>(
    sql`SELECT pipeline_id FROM stages WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
  );
  const locked = row && (await lockPipeline(ctx, row.pipeline_id));
  const stage = locked?.find((one) => one.id === id);
  if (!locked || !stage) throw notFound();
  return { stage, count: locked.length };
}

/** @throws {Fault} VALIDATION_FAILED when one of the stages holds a deal */
export function refuseWithDeals(stages: readonly LockedStage[]): void {
  if (stages.some((stage) => stage.deals_count > 0)) {
    throw invalid('deals', coded('in_use', 'must be moved or deleted first'));
  }
}
