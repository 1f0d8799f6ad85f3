import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { mustExist } from '../../errors/codes.ts';
import { auditEntries, removalOf } from '../audit/entry.ts';
import { readFields, readNew, refuseMoves } from '../kernel/fields/input.ts';
import { withDefaults } from '../kernel/resource.ts';
import { inserting } from '../kernel/write/insert.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { overwriting } from '../kernel/write/update_after_read.ts';
import { requireExpected } from '../kernel/write/version.ts';
import type { Create, Remove, Update } from '../kernel/write/write.ts';
import { lockPipeline, lockStage, refuseWithDeals } from './lock.ts';
import { placeFor, type Shift, shiftEntries, shiftStages } from './place.ts';
import { stages } from './record.ts';

const insert = inserting(stages);
const overwrite = overwriting(stages, 'locked');

/**
 * Adds a stage to a pipeline: at its end, or at a position, from which the others move up by one.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field or a
 *   pipeline that does not exist
 */
export const createStage: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'stage.create');
  const faults = faultsOf(ctx);
  const fields = readNew(input, stages.fields, faults);
  return inTransaction(ctx, async (tx) => {
    const others = fields.pipeline_id ? await lockPipeline(tx, fields.pipeline_id) : undefined;
    if (!others && !faults.has('pipeline_id')) faults.add('pipeline_id', mustExist);
    faults.throwIfAny();
    const last = others?.length ?? 0;
    const position = placeFor(fields.position, last + 1);
    const stage = { ...withDefaults(stages, fields), position };
    const shift: Shift = { pipelineId: stage.pipeline_id, first: position, last, by: 1 };
    return insert(tx, stage, selection, {
      first: sql`${shiftStages(tx, shift)},`,
      earlier: shiftEntries(shift, 'written'),
    });
  });
};

/**
 * Updates a stage, which stays in its pipeline.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for an invalid field, or
 *   another pipeline
 */
export const updateStage: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'stage.update');
  const stageId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readFields(input, stages.fields, faults);
  return inTransaction(ctx, async (tx) => {
    const { stage, count } = await lockStage(tx, stageId);
    requireExpected(tx, stage.version);
    refuseMoves(fields, { pipeline_id: stage.pipeline_id }, faults);
    faults.throwIfAny();
    const from = stage.position;
    const to = fields.position === undefined ? from : placeFor(fields.position, count);
    const after = { ...stage, ...fields, position: to };
    if (to === from) return overwrite(tx, stage, after, selection);
    const { pipeline_id: pipelineId } = stage;
    const shift: Shift =
      from < to
        ? { pipelineId, first: from + 1, last: to, by: -1 }
        : { pipelineId, first: to, last: from - 1, by: 1 };
    return overwrite(tx, stage, after, selection, {
      first: sql`${shiftStages(tx, shift)},`,
      earlier: shiftEntries(shift, 'written'),
    });
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
    const { stage, count } = await lockStage(tx, stageId);
    requireExpected(tx, stage.version);
    refuseWithDeals([stage]);
    const { pipeline_id: pipelineId, position } = stage;
    const shift: Shift = { pipelineId, first: position + 1, last: count, by: -1 };
    await tx.db.query(
      sql`WITH ${shiftStages(tx, shift)}, gone AS (
          DELETE FROM stages WHERE account_id = ${accountId} AND id = ${stageId} RETURNING *
        )
        ${auditEntries(tx, ...shiftEntries(shift, 'gone'), removalOf(stages, 'gone'))}`,
    );
    return { id: stageId };
  });
};
