import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { readFields, readNew, refuseMoves } from '../kernel/input.ts';
import { inserting } from '../kernel/insert.ts';
import { overwriting } from '../kernel/overwrite.ts';
import { complete } from '../kernel/resource.ts';
import { inTransaction } from '../kernel/transaction.ts';
import { type Create, type Remove, removalEntry, type Update } from '../kernel/write.ts';
import { lockPipeline, lockStage, refuseWithDeals } from './lock.ts';
import { closeStagePlace, openStagePlace, placeFor, shiftStages } from './place.ts';
import { stages } from './record.ts';

const insert = inserting(stages);
const overwrite = overwriting(stages);
const removed = removalEntry(stages);

/**
 * Adds a stage to a pipeline: at its end, or at a position, from which the others move up by one.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field or a
 *   pipeline that does not exist
 */
export const createStage: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'stage.create');
  const faults = faultsOf(ctx);
  const sent = readNew(input, stages.fields, faults);
  return inTransaction(ctx, async (tx) => {
    const others = sent.pipeline_id ? await lockPipeline(tx, sent.pipeline_id) : undefined;
    if (!others && !faults.has('pipeline_id')) faults.add('pipeline_id', 'must exist');
    faults.throwIfAny();
    const position = placeFor(sent.position, (others?.length ?? 0) + 1);
    const { name, pipeline_id } = complete(stages, sent, { position });
    const opened = sql`${openStagePlace(tx, pipeline_id, position)},`;
    return insert(tx, { name, pipeline_id, position }, selection, opened);
  });
};

/**
 * Updates the name or the place of a stage, which stays in its pipeline.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for an invalid field, or
 *   another pipeline
 */
export const updateStage: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'stage.update');
  const stageId = readId(id);
  const faults = faultsOf(ctx);
  const sent = readFields(input, stages.fields, faults);
  return inTransaction(ctx, async (tx) => {
    const { stage, count } = await lockStage(tx, stageId);
    refuseMoves(sent, { pipeline_id: stage.pipeline_id }, faults);
    faults.throwIfAny();
    const from = stage.position;
    const to = sent.position === undefined ? from : placeFor(sent.position, count);
    const first = to === from ? undefined : sql`${shiftStages(tx, stage.pipeline_id, from, to)},`;
    return overwrite(tx, stage, { ...stage, ...sent, position: to }, selection, { first });
  });
};

/**
 * Removes a stage without deals; the stages after it close the gap.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED while it holds deals
 */
export const deleteStage: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'stage.delete');
  const stageId = readId(id);
  return inTransaction(ctx, async (tx) => {
    const { stage } = await lockStage(tx, stageId);
    refuseWithDeals([stage]);
    await tx.db.query(
      sql`WITH ${closeStagePlace(tx, stage.pipeline_id, stage.position)}, gone AS (
          DELETE FROM stages WHERE account_id = ${accountId} AND id = ${stageId} RETURNING *
        )
        ${removed(tx)}`,
      { named: true },
    );
    return { id: stageId };
  });
};
