import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { conflict, isBroken } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { type Faults, notFound } from '../../errors/errors.ts';
import { auditEntries, creationOf, entriesOf } from '../audit/entry.ts';
import { eventEntry } from '../events/entry.ts';
import { events } from '../events/record.ts';
import { readFields } from '../kernel/fields/input.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { clock } from '../kernel/write/moment.ts';
import { mergedInto } from '../kernel/write/patch.ts';
import { overwriting } from '../kernel/write/update_after_read.ts';
import { updateRecord } from '../kernel/write/update_in_place.ts';
import { requireExpected } from '../kernel/write/version.ts';
import type { Update } from '../kernel/write/write.ts';
import { type CurrentDeal, currentDeal, type PlacedDeal } from './current.ts';
import { type Plan, planDealChange } from './plan.ts';
import { lockStages, type Orders, rankSet, rearranged } from './positions/place.ts';
import { type DealFields, deals } from './record.ts';
import { isPlain } from './rules.ts';

const overwrite = overwriting(deals);

/**
 * Updates the fields sent of a deal.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, a stage or contact that does
 *   not exist, a pipeline that is not the stage's
 */
export const updateDeal: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'deal.update');
  const dealId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readFields(input, deals.fields, faults);
  if (!faults.any && isPlain(fields)) {
    return retryConflicts(() => updateRecord(ctx, deals, dealId, fields, selection));
  }
  return retryConflicts(async () => {
    const before = await currentDeal(ctx, dealId, fields, false);
    if (!before) throw notFound();
    requireExpected(ctx, before.version);
    const within: InTransaction = (work) => ctx.db.transaction((db) => work({ ...ctx, db }));
    return changeDeal(ctx, within, before, fields, faults, selection);
  }, isBroken('foreign_key'));
};

/** Runs work in a transaction. */
type InTransaction = (work: (ctx: UnitOfWork) => Promise<RecordResult>) => Promise<RecordResult>;

/**
 * Updates a deal that was read before. One that moves is read again once its stages are locked,
 * because only then are places certain; so is one that gets another contact, because only then are
 * all of its events there to follow it.
 * @param faults found so far
 * @throws {Fault} VALIDATION_FAILED with these and those of the change
 */
export async function changeDeal(
  ctx: UnitOfWork,
  within: InTransaction,
  seen: CurrentDeal,
  fields: DealFields,
  faults: Faults,
  selection: Selection,
): Promise<RecordResult> {
  const plan = planDealChange(seen, mergedInto(ctx, deals, seen, fields), seen.moment, faults);
  faults.throwIfAny();
  if (!plan.moves) return write(ctx, seen, plan, selection);
  return within(async (ctx) => {
    const orders = await lockStages(ctx, [seen.stage_id, plan.after.stage_id]);
    const before = await currentDeal(ctx, seen.id, fields, true);
    if (!before) throw notFound();
    requireExpected(ctx, before.version);
    if (before.stage_id !== seen.stage_id) throw conflict();
    const whole = mergedInto(ctx, deals, before, fields);
    const move = planDealChange(before, whole, before.moment, faults, orders);
    faults.throwIfAny();
    if (move.after.contact_id !== before.contact_id) await moveEvents(ctx, before, move.after);
    return write(ctx, before, move, selection, orders);
  });
}

/** Gives the events of a locked deal the contact that it gets: they belong to the deal. */
export const moveEvents = (
  ctx: UnitOfWork,
  { id, contact_id: from }: PlacedDeal,
  { contact_id: to }: Plan['after'],
): Promise<unknown> => {
  const changes = { before: { contact_id: from }, after: { contact_id: to } };
  return ctx.db.query(
    sql`WITH moved AS (
          UPDATE events SET contact_id = ${to}, updated_at = ${clock}
          WHERE account_id = ${ctx.viewer.accountId} AND deal_id = ${id} RETURNING id, updated_at
        ) ${auditEntries(ctx, entriesOf('event.update', 'moved', changes))}`,
  );
};

/**
 * Writes a planned change, unless it changes nothing.
 * @throws {DatabaseError} conflict, when the deal has changed since it was read
 */
async function write(
  ctx: UnitOfWork,
  before: CurrentDeal,
  { after, event }: Plan,
  selection: Selection,
  orders?: Orders,
): Promise<RecordResult> {
  const stays = before.stage_id === after.stage_id && before.position === after.position;
  const rearrangement =
    orders && !stays ? await rearranged(ctx, orders, [before], after) : undefined;
  return overwrite(ctx, before, after, selection, {
    at: sql`${before.moment}::timestamptz`,
    first: rearrangement && sql`${rearrangement.steps},`,
    set: rearrangement && sql`${rankSet(sql`${rearrangement.rank}::double precision`)},`,
    computed: sql`, ${after.position}::integer AS position`,
    also: event && eventStep(ctx, event),
    earlier: rearrangement?.entries,
    later: event && eventWritten,
  });
}

const eventWritten = [creationOf(events, 'event')];

const eventStep = (ctx: UnitOfWork, { kind, attributes }: NonNullable<Plan['event']>) =>
  sql`, event AS (${eventEntry(ctx.viewer, kind, 'written', sql`${JSON.stringify(attributes)}::json`)})`;
