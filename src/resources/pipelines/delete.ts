import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { lastState, type Remove } from '../kernel/write.ts';
import { lockPipeline, refuseWithDeals } from '../stages/place.ts';
import { stages } from '../stages/record.ts';
import { pipelines } from './record.ts';

/**
 * Removes a pipeline with its stages, when none of them holds a deal.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED while it holds deals
 */
export const deletePipeline: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'pipeline.delete');
  const pipelineId = readId(id);
  return retrying(() => ctx.db.transaction((db) => remove({ ...ctx, db }, pipelineId)));
};

async function remove(ctx: UnitOfWork, id: number): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  const held = await lockPipeline(ctx, id);
  if (!held) throw notFound();
  refuseWithDeals(held);
  await ctx.db.query(
    sql`WITH stages_gone AS (
        DELETE FROM stages WHERE account_id = ${accountId} AND pipeline_id = ${id} RETURNING *
      ), stages_audit AS (${auditEntry(ctx, 'stage.delete', 'stages_gone', {
        before: lastState(stages, 'stages_gone'),
        after: null,
      })}), gone AS (
        DELETE FROM pipelines WHERE account_id = ${accountId} AND id = ${id} RETURNING *
      )
      ${auditEntry(ctx, 'pipeline.delete', 'gone', {
        before: lastState(pipelines),
        after: null,
      })}`,
    { named: true },
  );
  return { id };
}
