import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { empty, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, changesBetween } from '../audit/entry.ts';
import { updateRecord } from '../change.ts';
import { type Input, readFields } from '../fields.ts';
import {
  landing,
  lockStages,
  type Orders,
  type Place,
  rankSet,
  rearranged,
} from '../pipelines/place.ts';
import { getRecord, type Stored, type Working, writeRecord } from '../record.ts';
import { type CurrentDeal, currentDeal, type StagePlace, targetStage } from './current.ts';
import { changeEvent } from './event.ts';
import { type DealSent, dealFields } from './fields.ts';
import { nextOutcome } from './outcome.ts';

/** Fields that no rule connects with others. */
const plain = ['name', 'custom_attributes'] as const;
const isPlain = (field: string) => plain.some((one) => one === field);

/**
 * Changes the fields sent of a deal.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, a stage or contact that does
 *   not exist, a pipeline that is not the stage's
 */
export async function updateDeal(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'deal.update');
  const dealId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, dealFields, faults);
  if (!faults.any && Object.keys(sent).every(isPlain)) {
    const target = { shape: 'deals', action: 'deal.update', id: dealId } as const;
    const values = Object.fromEntries(plain.map((field) => [field, sent[field]]));
    return retrying(() => updateRecord(ctx, target, values, selection));
  }
  return retrying(async () => {
    const before = await currentDeal(ctx, dealId, sent, false);
    if (!before) throw notFound();
    return mayMove(before, sent)
      ? ctx.db.transaction((db) => change({ ...ctx, db }, before, sent, faults, selection))
      : change(ctx, before, sent, faults, selection);
  }, isBroken('foreign_key'));
}

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
  const changes = changesBetween(before, after);
  if (!changes) return getRecord(ctx, 'deals', before.id, selection);
  const moves = before.stage_id !== place.stage_id || before.position !== place.position;
  const way = move && moves ? rearranged(ctx, move.orders, [before], place) : undefined;
  const steps = sql`${way ? sql`${way.steps},` : empty} written AS (
      UPDATE deals SET name = ${after.name}, status = ${after.status}, contact_id = ${after.contact_id},
        stage_id = ${after.stage_id}, pipeline_id = ${after.pipeline_id}, ${way ? sql`${rankSet(sql`${way.rank}::double precision`)},` : empty}
        lost_reason = ${after.lost_reason}, lost_at = ${after.lost_at}::timestamptz, won_at = ${after.won_at}::timestamptz,
        custom_attributes = ${after.custom_attributes}::json, updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${before.id} AND xmin = ${before.version}::xid
      RETURNING *, ${after.position}::integer AS position
    )${changeEvent(ctx, before, after, stage) ?? empty}, audit AS (${auditEntry(ctx, 'deal.update', 'written', changes)})`;
  const written = await writeRecord(ctx, 'deals', selection, steps, {}, true);
  if (!written) throw conflict();
  return written;
}
