import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields, type Sent } from '../fields.ts';
import { type Stored, type Working, writeRecord } from '../record.ts';
import { newStageFields } from './fields.ts';
import { landingOf, lockPipeline, openStagePlace } from './stage_place.ts';

/**
 * Adds a stage to a pipeline: at the end, or at a position, from which the others move on.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field or a
 *   pipeline that does not exist
 */
export async function createStage(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'stage.create');
  const faults = new Faults();
  const sent = readFields(input, newStageFields, faults);
  if (sent.name === undefined && !faults.has('name')) faults.add('name', "can't be blank");
  return retrying(() =>
    ctx.db.transaction((db) => insertStage({ ...ctx, db }, sent, faults, selection)),
  );
}

async function insertStage(
  ctx: Working,
  sent: Sent<typeof newStageFields>,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const { name, pipeline_id: pipelineId } = sent;
  const stages = pipelineId === undefined ? undefined : await lockPipeline(ctx, pipelineId);
  if (!stages && !faults.has('pipeline_id')) faults.add('pipeline_id', 'must exist');
  faults.throwIfAny();
  if (!stages || pipelineId === undefined) throw new Error('a stage was refused for no reason');
  const { accountId } = ctx.viewer;
  const now = ctx.now.toISOString();
  const position = landingOf(sent.position, stages.length + 1);
  const after = { name, pipeline_id: pipelineId, position };
  const written = await writeRecord(
    ctx,
    'stages',
    selection,
    sql`${openStagePlace(ctx, pipelineId, position)}, written AS (
      INSERT INTO stages (account_id, pipeline_id, name, position, created_at, updated_at)
      VALUES (${accountId}, ${pipelineId}, ${name}, ${position}, ${now}::timestamptz, ${now}::timestamptz)
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'stage.create', 'written', { before: null, after })})`,
  );
  if (!written) throw new Error('the inserted stage was not returned');
  return written;
}
