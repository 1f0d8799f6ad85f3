/** Locking the deals of a batch, with the stages that they may leave or enter. */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { currentDeals, type PlacedDeal } from '../current.ts';
import { lockStages, type Orders } from '../positions/place.ts';
import type { DealSent } from '../record.ts';
import type { References } from '../references.ts';
import type { DealChange } from './write.ts';

/** A change that is asked for; without an id it is of no deal. */
export interface DealLock {
  readonly id?: number | undefined;
  readonly sent: DealSent;
}

export interface LockedDeals {
  /** A deal as it is, with what its change needs to know; undefined where there is none. */
  before(id: number, sent: DealSent): DealChange['before'] | undefined;
  /** Of the stages that are locked. */
  readonly orders: Orders;
}

/**
 * Locks as single changes do: the stages of those that may move, and then all deals.
 * @param references of all that is sent
 * @param filled stages that are locked besides, for deals that are created
 * @throws {DatabaseError} conflict, when a deal has moved since it was read
 */
export async function lockDeals(
  ctx: UnitOfWork,
  wanted: readonly DealLock[],
  { stages, contacts }: References,
  filled: readonly number[] = [],
): Promise<LockedDeals> {
  const ids = wanted.flatMap(({ id }) => id ?? []);
  const seen = await currentDeals(ctx, ids, false);
  const left = new Map<number, number>();
  const entered = filled.filter((id) => stages.has(id));
  for (const { id = 0, sent } of wanted) {
    const deal = seen.get(id);
    if (!deal || !mayMove(deal, sent)) continue;
    left.set(id, deal.stage_id);
    if (sent.stage_id !== undefined && stages.has(sent.stage_id)) entered.push(sent.stage_id);
  }
  const asked = [...new Set([...left.values(), ...entered])];
  const orders: Orders = asked.length > 0 ? await lockStages(ctx, asked) : new Map();
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
export const mayMove = (deal: PlacedDeal, { stage_id, position, contact_id }: DealSent): boolean =>
  position !== undefined ||
  (stage_id !== undefined && stage_id !== deal.stage_id) ||
  (contact_id !== undefined && contact_id !== deal.contact_id);

/**
 * What changes of deals share that say something of their places: these are as they come one after
 * the other.
 */
export const places = ['places'];

/** What a change waits for. */
export const dependsOn = ({ id }: PlacedDeal, { stage_id, position }: DealSent) => ({
  touches: [`deal ${id}`],
  shares: stage_id === undefined && position === undefined ? [] : places,
});
