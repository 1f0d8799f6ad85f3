/** Deals of a batch that are changed together, by the rules of single ones. */
import { faultsOf, type UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { Faults } from '../../errors.ts';
import { asId } from '../../integer.ts';
import { absent, unless, updated } from '../kernel/batch/plain.ts';
import type { Many } from '../kernel/batch/verb.ts';
import { inWaves } from '../kernel/batch/waves.ts';
import { readFields } from '../kernel/input.ts';
import { changeDeals, type DealChange } from './change_many.ts';
import { currentDeals, type PlacedDeal } from './current.ts';
import { lockStages, type Orders } from './places/place.ts';
import { planned } from './plan.ts';
import { type DealSent, deals } from './record.ts';
import { lookForReferences, type References } from './references.ts';

/** Changes deals, as `updateDeal` does one. */
export const updateDeals: Many = (ctx, items) => {
  const read = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return { id: asId(record.id), sent: readFields(record, deals.fields, faults), faults };
  });
  return inWaves(read, {
    look: (wanted) => lookFor(ctx, wanted),
    plan: ({ id, sent, faults: known }, found) => {
      const before = id === undefined ? undefined : found.before(id, sent);
      if (!before) return absent;
      const faults = new Faults();
      faults.addAll(known, '');
      planned(before, sent, ctx.now, faults);
      return { ...unless(faults, { before, sent }), ...dependsOn(before, sent) };
    },
    write: async (changes, { orders }) => {
      await changeDeals(ctx, changes, orders);
      return changes.map(({ before }) => updated(before));
    },
  });
};

/** What a change waits for; places are told in the order of those that ask for them. */
export const dependsOn = ({ id }: PlacedDeal, { stage_id, position }: DealSent) => ({
  touches: [`deal ${id}`],
  shares: stage_id === undefined && position === undefined ? [] : ['places'],
});

/** A change that is asked for. */
interface Wanted {
  readonly id: number | undefined;
  readonly sent: DealSent;
}

interface Found {
  /** The deal as it is, locked; undefined where there is none. */
  before(id: number, sent: DealSent): DealChange['before'] | undefined;
  /** Of the stages that are locked. */
  readonly orders: Orders;
}

/** Locks stages and deals as single changes do: the stages of those that may move, and then all deals. */
async function lookFor(ctx: UnitOfWork, wanted: readonly Wanted[]): Promise<Found> {
  const ids = wanted.flatMap(({ id }) => id ?? []);
  const references = await lookForReferences(
    ctx,
    wanted.map(({ sent }) => sent),
    false,
  );
  return lockDeals(ctx, ids, wanted, references);
}

async function lockDeals(
  ctx: UnitOfWork,
  ids: readonly number[],
  wanted: readonly Wanted[],
  { stages, contacts }: References,
): Promise<Found> {
  const seen = await currentDeals(ctx, ids, false);
  const left = new Map<number, number>();
  const entered: number[] = [];
  for (const { id, sent } of wanted) {
    const deal = seen.get(id ?? 0);
    if (!deal || !mayMove(deal, sent)) continue;
    left.set(deal.id, deal.stage_id);
    if (sent.stage_id !== undefined && stages.has(sent.stage_id)) entered.push(sent.stage_id);
  }
  const asked = [...new Set([...left.values(), ...entered])];
  const orders = asked.length > 0 ? await lockStages(ctx, asked) : new Map();
  const getContacts = wanted.some(({ sent }) => sent.contact_id !== undefined);
  const locked = await currentDeals(ctx, ids, getContacts ? 'all' : true);
  for (const [id, stageId] of left) {
    const deal = locked.get(id);
    if (deal && deal.stage_id !== stageId) throw conflict();
  }
  return {
    orders,
    before: (id, { stage_id = 0, contact_id = 0 }) => {
      const deal = locked.get(id);
      const target = stages.get(stage_id) ?? null;
      return deal && { ...deal, target, contact_exists: contacts.has(contact_id) };
    },
  };
}

/** Whether a deal may get another place or another contact. */
const mayMove = (deal: PlacedDeal, { stage_id, position, contact_id }: DealSent): boolean =>
  position !== undefined ||
  (stage_id !== undefined && stage_id !== deal.stage_id) ||
  (contact_id !== undefined && contact_id !== deal.contact_id);
