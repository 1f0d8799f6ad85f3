import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { auditEntries } from '../audit/entry.ts';
import { removal } from '../kernel/removal.ts';
import { requireExpected } from '../kernel/version.ts';
import type { Remove } from '../kernel/write.ts';
import { currentDeal } from './current.ts';
import { lockStages, rearranged } from './places/place.ts';

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

async function remove(ctx: UnitOfWork, id: number, stageId: number): Promise<{ id: number }> {
  const orders = await lockStages(ctx, [stageId]);
  const deal = await currentDeal(ctx, id, {}, 'all');
  if (!deal) throw notFound();
  requireExpected(ctx, deal.version);
  if (deal.stage_id !== stageId) throw conflict();
  const { steps, entries } = removal(ctx, 'deals', sql`id = ${id}`);
  const places = await rearranged(ctx, orders, [deal]);
  await ctx.db.query(
    sql`WITH ${steps}, ${places.steps} ${auditEntries(ctx, ...places.entries, ...entries)}`,
    { named: true },
  );
  return { id };
}
