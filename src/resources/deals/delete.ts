import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { conflict } from '../../db/errors.ts';
import { sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries } from '../audit/entry.ts';
import { removal } from '../kernel/write/removal.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { requireExpected } from '../kernel/write/version.ts';
import type { Remove } from '../kernel/write/write.ts';
import { currentDeals, type PlacedDeal } from './current.ts';
import { lockStages, rearranged } from './positions/place.ts';

/**
 * Removes a deal with its products, assignees and events; the deals after it in its stage move up.
 * @throws {Fault} NOT_FOUND
 */
export const deleteDeal: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'deal.delete');
  const dealId = readId(id);
  const [gone] = await inTransaction(ctx, (tx) => removeDeals(tx, [dealId]));
  if (gone === undefined) throw notFound();
  return { id: gone };
};

/**
 * Removes deals in one transaction.
 * @returns the ids of those that there were
 */
export async function removeDeals(
  ctx: UnitOfWork,
  dealIds: readonly number[],
): Promise<readonly number[]> {
  const seen = await currentDeals(ctx, dealIds, false);
  if (seen.size === 0) return [];
  const orders = await lockStages(ctx, stagesOf(seen));
  const deals = await currentDeals(ctx, [...seen.keys()], 'all');
  for (const { version } of deals.values()) requireExpected(ctx, version);
  if (deals.size === 0) return [];
  if (stagesOf(deals).some((id) => !orders.has(id))) throw conflict();
  const ids = [...deals.keys()];
  const { steps, entries } = removal(ctx, 'deals', sql`id = ANY(${ids}::bigint[])`);
  const places = await rearranged(ctx, orders, [...deals.values()]);
  await ctx.db.query(
    sql`WITH ${steps}, ${places.steps} ${auditEntries(ctx, ...places.entries, ...entries)}`,
  );
  return ids;
}

const stagesOf = (deals: ReadonlyMap<number, PlacedDeal>): number[] => [
  ...new Set([...deals.values()].map(({ stage_id }) => stage_id)),
];
