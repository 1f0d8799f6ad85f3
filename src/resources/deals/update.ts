import { authorize, readId } from '../../auth/policy.ts';
import { conflict, isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { updateRecord } from '../kernel/change.ts';
import { readFields } from '../kernel/fields.ts';
import { overwriting } from '../kernel/overwrite.ts';
import type { Stored, Working } from '../kernel/record.ts';
import type { Update } from '../kernel/write.ts';
import {
  landing,
  lockStages,
  type Orders,
  type Place,
  rankSet,
  rearranged,
} from '../pipelines/place.ts';
import { type CurrentDeal, currentDeal, type StagePlace, targetStage } from './current.ts';
import { changeEvent } from './event.ts';
import { nextOutcome } from './outcome.ts';
import { type DealSent, deals } from './record.ts';

/** Fields that rules connect with each other; the others are written as they are sent. */
const ruled: ReadonlySet<string> = new Set<keyof DealSent>([
  'status',
  'stage_id',
  'pipeline_id',
  'contact_id',
  'position',
  'lost_reason',
  'lost_at',
  'won_at',
]);
const isPlain = (field: string) => !ruled.has(field);

const overwrite = overwriting(deals);

/**
 * Changes the fields sent of a deal.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, a stage or contact that does
 *   not exist, a pipeline that is not the stage's
 */
export const updateDeal: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'deal.update');
  const dealId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, deals.fields, faults);
  if (!faults.any && Object.keys(sent).every(isPlain)) {
    const target = { shape: 'deals', action: 'deal.update', id: dealId } as const;
    return retrying(() => updateRecord(ctx, target, sent, selection));
  }
  return retrying(async () => {
    const before = await currentDeal(ctx, dealId, sent, false);
    if (!before) throw notFound();
    return mayMove(before, sent)
      ? ctx.db.transaction((db) => change({ ...ctx, db }, before, sent, faults, selection))
      : change(ctx, before, sent, faults, selection);
  }, isBroken('foreign_key'));
};

/**
 * Changes a deal that was read; in a transaction when it may move.
 * @throws {Fault} VALIDATION_FAILED with the faults found before and its own
 */
export async function change(
  ctx: Working,
  before: CurrentDeal,
  sent: DealSent,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const stage = targetStage(before, sent, faults);
  faults.throwIfAny();
  return mayMove(before, sent)
    ? moveDeal(ctx, before, sent, stage, faults, selection)
    : changeDeal(ctx, before, sent, stage, selection);
}

/** Whether a change may give the deal, and so others, another place. */
const mayMove = (deal: CurrentDeal, sent: DealSent): boolean =>
  (sent.stage_id !== undefined && sent.stage_id !== deal.stage_id) ||
  (sent.position !== undefined && sent.position !== deal.position);

/**
 * Changes a deal and its place. The deal is read again once its stages are
 * locked, because a place is only certain then.
 */
async function moveDeal(
  ctx: Working,
  seen: CurrentDeal,
  sent: DealSent,
  stage: StagePlace,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const orders = await lockStages(ctx, [seen.stage_id, stage.stage_id]);
  const before = await currentDeal(ctx, seen.id, sent, true);
  if (!before) throw notFound();
  if (before.stage_id !== seen.stage_id) throw conflict();
  const now = targetStage(before, sent, faults);
  faults.throwIfAny();
  const place = landing(before, now.stage_id, sent.position, orders);
  return changeDeal(ctx, before, sent, now, selection, { place, orders });
}

/**
 * Writes a change that builds on a deal as it was read; one that changes nothing writes nothing.
 * @throws {DatabaseError} conflict, when the deal changed since
 */
async function changeDeal(
  ctx: Working,
  before: CurrentDeal,
  sent: DealSent,
  stage: StagePlace,
  selection: Selection,
  move?: { readonly place: Place; readonly orders: Orders },
): Promise<Stored> {
  const place = move?.place ?? before;
  const after = {
    name: sent.name ?? before.name,
    ...nextOutcome(before, sent, ctx.now),
    contact_id: sent.contact_id ?? before.contact_id,
    stage_id: stage.stage_id,
    pipeline_id: stage.pipeline_id,
    position: place.position,
    custom_attributes: sent.custom_attributes ?? before.custom_attributes,
  };
  const moves = before.stage_id !== place.stage_id || before.position !== place.position;
  const way = move && moves ? rearranged(ctx, move.orders, [before], place) : undefined;
  return overwrite(ctx, before, after, selection, {
    first: way && sql`${way.steps},`,
    set: way && sql`${rankSet(sql`${way.rank}::double precision`)},`,
    told: sql`, ${after.position}::integer AS position`,
    also: changeEvent(ctx, before, after, stage),
  });
}
