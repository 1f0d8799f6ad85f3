import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { readFields, type Sent } from '../kernel/fields.ts';
import { overwriting } from '../kernel/overwrite.ts';
import type { Stored } from '../kernel/record.ts';
import type { Update } from '../kernel/write.ts';
import { type LockedStage, landingOf, lockPipeline, shiftStages } from './place.ts';
import { stages } from './record.ts';

const { pipeline_id: _, ...fields } = stages.fields;
const overwrite = overwriting(stages);

/**
 * Changes the name or the place of a stage; it stays in its pipeline.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for an invalid field
 */
export const updateStage: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'stage.update');
  const stageId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, fields, faults);
  return retrying(() =>
    ctx.db.transaction((db) => change({ ...ctx, db }, stageId, sent, faults, selection)),
  );
};

async function change(
  ctx: UnitOfWork,
  id: number,
  sent: Sent<typeof fields>,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const { stage, count } = await lockStage(ctx, id);
  faults.throwIfAny();
  const from = stage.position;
  const to = sent.position === undefined ? from : landingOf(sent.position, count);
  const first = to === from ? undefined : sql`${shiftStages(ctx, stage.pipeline_id, from, to)},`;
  return overwrite(ctx, stage, { ...stage, ...sent, position: to }, selection, { first });
}

/**
 * Locks a stage with its pipeline and the other stages of it.
 * @returns it, and how many stages the pipeline has
 * @throws {Fault} NOT_FOUND
 */
export async function lockStage(
  ctx: UnitOfWork,
  id: number,
): Promise<{ stage: LockedStage; count: number }> {
  const [row] = await ctx.db.query<{ pipeline_id: number }>(
    sql`SELECT pipeline_id FROM stages WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  const locked = row && (await lockPipeline(ctx, row.pipeline_id));
  const stage = locked?.find((one) => one.id === id);
  if (!locked || !stage) throw notFound();
  return { stage, count: locked.length };
}
