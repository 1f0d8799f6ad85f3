import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { empty, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, changesBetween } from '../audit/entry.ts';
import { type Input, readFields, type Sent } from '../fields.ts';
import { getRecord, type Stored, type Working, writeRecord } from '../record.ts';
import { stageFields } from './fields.ts';
import { type LockedStage, landingOf, lockPipeline, shiftStages } from './stage_place.ts';

/**
 * Changes the name or the place of a stage; it stays in its pipeline.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for an invalid field
 */
export async function updateStage(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'stage.update');
  const stageId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, stageFields, faults);
  return retrying(() =>
    ctx.db.transaction((db) => change({ ...ctx, db }, stageId, sent, faults, selection)),
  );
}

async function change(
  ctx: Working,
  id: number,
  sent: Sent<typeof stageFields>,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const { stage, pipelineId, stages } = await lockStage(ctx, id);
  faults.throwIfAny();
  const before = { name: stage.name, position: stage.position };
  const after = {
    name: sent.name ?? stage.name,
    position:
      sent.position === undefined ? stage.position : landingOf(sent.position, stages.length),
  };
  const changes = changesBetween(before, after);
  if (!changes) return getRecord(ctx, 'stages', id, selection);
  const way =
    after.position === before.position
      ? empty
      : sql`${shiftStages(ctx, pipelineId, before.position, after.position)},`;
  const written = await writeRecord(
    ctx,
    'stages',
    selection,
    sql`${way} written AS (
      UPDATE stages SET name = ${after.name}, position = ${after.position},
        updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'stage.update', 'written', changes)})`,
  );
  if (!written) throw new Error('the locked stage was not written');
  return written;
}

/**
 * Locks a stage with its pipeline and the other stages of it.
 * @throws {Fault} NOT_FOUND
 */
export async function lockStage(
  ctx: Working,
  id: number,
): Promise<{ stage: LockedStage; pipelineId: number; stages: readonly LockedStage[] }> {
  const [row] = await ctx.db.query<{ pipeline_id: number }>(
    sql`SELECT pipeline_id FROM stages WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  const stages = row && (await lockPipeline(ctx, row.pipeline_id));
  const stage = stages?.find((locked) => locked.id === id);
  if (!row || !stages || !stage) throw notFound();
  return { stage, pipelineId: row.pipeline_id, stages };
}
