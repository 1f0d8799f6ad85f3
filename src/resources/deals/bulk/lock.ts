/** Locking the deals of a batch, with the stages that they may leave or enter. */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { currentDeals, type PlacedDeal } from '../current.ts';
import { lockStages, type Orders } from '../positions/place.ts';
import type { DealFields } from '../record.ts';
import type { References } from '../references.ts';
import type { DealChange } from './write.ts';

/** A change that is asked for; without an id it is of no deal. */
export interface DealLock {
  readonly id?: number | undefined;
  readonly fields: DealFields;
}

export interface LockedDeals {
  /** A deal as it is, with what its change needs to know; undefined where there is none. */
  before(id: number, fields: DealFields): DealChange['before'] | undefined;
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
  locks: readonly DealLock[],
  { stages, contacts }: References,
  filled: readonly number[] = [],
): Promise<LockedDeals> {
  const ids = locks.flatMap(({ id }) => id ?? []);
  const dealsBefore = await currentDeals(ctx, ids, false);
  const stageIds = new Map<number, number>();
  const entered = filled.filter((id) => stages.has(id));
  for (const { id = 0, fields } of locks) {
    const deal = dealsBefore.get(id);
    if (!deal || !mayMove(deal, fields)) continue;
    stageIds.set(id, deal.stage_id);
    if (fields.stage_id !== undefined && stages.has(fields.stage_id)) entered.push(fields.stage_id);
  }
  const stagesToLock = [...new Set([...stageIds.values(), ...entered])];
  const orders: Orders = stagesToLock.length > 0 ? await lockStages(ctx, stagesToLock) : new Map();
  const getContacts = locks.some(({ fields }) => fields.contact_id !== undefined);
  const locked = await currentDeals(ctx, ids, getContacts ? 'all' : true);
  for (const [id, stageId] of stageIds) {
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
export const mayMove = (
  deal: PlacedDeal,
  { stage_id, position, contact_id }: DealFields,
): boolean =>
  position !== undefined ||
  (stage_id !== undefined && stage_id !== deal.stage_id) ||
  (contact_id !== undefined && contact_id !== deal.contact_id);

/** Shared by all changes that concern places, which depend on the order in which they are made. */
export const places = ['places'];

/** What a change waits for. */
export const dependsOn = ({ id }: PlacedDeal, { stage_id, position }: DealFields) => ({
  touches: [`deal ${id}`],
  shares: stage_id === undefined && position === undefined ? [] : places,
});
