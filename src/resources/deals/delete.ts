import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { type Remove, removalEntry } from '../kernel/write.ts';
import { currentDeal } from './current.ts';
import { lockStages, rearranged } from './places/place.ts';
import { deals } from './record.ts';

/**
 * Removes a deal with its products, assignees and events; the deals after it in its stage move up.
 * @throws {Fault} NOT_FOUND
 */
export const deleteDeal: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'deal.delete');
  const dealId = readId(id);
  return retrying(async () => {
    const seen = await currentDeal(ctx, dealId, {}, false);
    if (!seen) throw notFound();
    return ctx.db.transaction((db) => remove({ ...ctx, db }, dealId, seen.stage_id));
  });
};

/**
 * An audit entry for each removed deal.
 * @param row the WITH query that returned the deals, each with its `position`
 */
export const dealRemovalEntry = (row: string) =>
  removalEntry(deals, row, ['position', 'total_deal_products_amount_in_cents']);

const removed = dealRemovalEntry('gone');

async function remove(ctx: UnitOfWork, id: number, stageId: number): Promise<{ id: number }> {
  const orders = await lockStages(ctx, [stageId]);
  const deal = await currentDeal(ctx, id, {}, true);
  if (!deal) throw notFound();
  if (deal.stage_id !== stageId) throw conflict();
  const { steps } = await rearranged(ctx, orders, [deal]);
  await ctx.db.query(
    sql`WITH gone AS (
        DELETE FROM deals WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} 
        RETURNING *, ${deal.position}::integer AS position
      ), ${steps}
      ${removed(ctx)}`,
    { named: true },
  );
  return { id };
}
