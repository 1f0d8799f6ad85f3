import { authorize } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { readNew, type Sent } from '../kernel/fields.ts';
import { inserting } from '../kernel/insert.ts';
import type { Stored } from '../kernel/record.ts';
import type { Create } from '../kernel/write.ts';
import { landingOf, lockPipeline, openStagePlace } from './place.ts';
import { stages } from './record.ts';

const insert = inserting(stages);

/**
 * Adds a stage to a pipeline: at the end, or at a position, from which the others move on.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field or a
 *   pipeline that does not exist
 */
export const createStage: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'stage.create');
  const faults = new Faults();
  const sent = readNew(input, stages.fields, faults);
  return retrying(() =>
    ctx.db.transaction((db) => insertStage({ ...ctx, db }, sent, faults, selection)),
  );
};

async function insertStage(
  ctx: UnitOfWork,
  sent: Sent<typeof stages.fields>,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const { name, pipeline_id: pipelineId } = sent;
  const others = pipelineId === undefined ? undefined : await lockPipeline(ctx, pipelineId);
  if (!others && !faults.has('pipeline_id')) faults.add('pipeline_id', 'must exist');
  faults.throwIfAny();
  if (!others || pipelineId === undefined || name === undefined) {
    throw new Error('a stage was refused for no reason');
  }
  const position = landingOf(sent.position, others.length + 1);
  const after = { name, pipeline_id: pipelineId, position };
  return insert(ctx, after, selection, sql`${openStagePlace(ctx, pipelineId, position)},`);
}
