import { authorize, readId } from '../../auth/policy.ts';
import { sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries, removalOf } from '../audit/entry.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { lockExpected } from '../kernel/write/version.ts';
import { creating, type Remove, updating } from '../kernel/write/write.ts';
import { lockPipeline, refuseWithDeals } from '../stages/lock.ts';
import { stages } from '../stages/record.ts';
import { pipelines } from './record.ts';

/** A new pipeline has no stages. */
export const createPipeline = creating(pipelines);
export const updatePipeline = updating(pipelines);

const entries = [removalOf(stages, 'stages_gone'), removalOf(pipelines, 'gone')];

/**
 * Removes a pipeline with its stages, when none of them holds a deal.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED while it holds deals
 */
export const deletePipeline: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'pipeline.delete');
  const pipelineId = readId(id);
  return inTransaction(ctx, async (tx) => {
    const pipeline = await lockPipeline(tx, pipelineId);
    if (!pipeline) throw notFound();
    await lockExpected(tx, pipelines, pipelineId);
    refuseWithDeals(pipeline);
    await tx.db.query(
      sql`WITH stages_gone AS (
          DELETE FROM stages WHERE account_id = ${accountId} AND pipeline_id = ${pipelineId} RETURNING *
        ), gone AS (
          DELETE FROM pipelines WHERE account_id = ${accountId} AND id = ${pipelineId} RETURNING *
        )
        ${auditEntries(tx, ...entries)}`,
    );
    return { id: pipelineId };
  });
};
