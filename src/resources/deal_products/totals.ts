/** The totals of deals to which several products come, or from which they go. */
import type { UnitOfWork } from '../../context/context.ts';
import { empty, raw, sql } from '../../db/sql/sql.ts';
import { invalid } from '../../errors/errors.ts';
import { auditEntries, creationOf, entriesOf } from '../audit/entry.ts';
import type { OwnKind } from '../events/entry.ts';
import { events } from '../events/record.ts';
import { largest } from '../kernel/fields/fields.ts';
import { clock } from '../kernel/write/moment.ts';
import { totalTooLarge } from './record.ts';
import { addToTotal, happening, totalMember } from './total.ts';

/** A deal that is locked, so that its total stays what it is. */
export interface LockedDeal {
  readonly id: number;
  /** In cents. */
  readonly total: number;
}

/** Locks deals in the order of their ids; before deal products are, as `lockDeal` says. */
export async function lockDeals(
  { db, viewer: { accountId } }: UnitOfWork,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LockedDeal>> {
  const deals = await db.query<LockedDeal>(
    sql`SELECT id, total_deal_products_amount_in_cents AS total FROM deals
      WHERE account_id = ${accountId} AND id = ANY(${[...new Set(ids)]}::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
  );
  return new Map(deals.map((deal) => [deal.id, deal]));
}

/** What a deal product adds to its deal's total, in cents. */
export interface Addition {
  readonly deal_id: number;
  readonly product_id: number;
  readonly product_name: string;
  readonly added: number;
}

/**
 * Adds to totals one after the other, with an entry in the trail for each.
 * @param kind of the event that each has
 * @throws {Fault} VALIDATION_FAILED when a total would be more than an amount can be
 */
export async function addToTotals(
  ctx: UnitOfWork,
  deals: ReadonlyMap<number, LockedDeal>,
  additions: readonly Addition[],
  kind?: OwnKind,
): Promise<void> {
  const { accountId } = ctx.viewer;
  const totals = new Map<number, number>();
  const sums = new Map<number, { id: number; amount: number; changes: boolean }>();
  const rows = additions.map(({ added, ...addition }) => {
    const { deal_id: id } = addition;
    const before = totals.get(id) ?? deals.get(id)?.total ?? 0;
    const after = before + added;
    if (after > largest) throw invalid(...totalTooLarge);
    totals.set(id, after);
    const { amount = 0, changes = false } = sums.get(id) ?? {};
    sums.set(id, { id, amount: amount + added, changes: changes || added !== 0 });
    return { ...addition, before, after };
  });
  if (rows.length === 0) return;
  const changes = sql`json_to_recordset(${JSON.stringify([...sums.values()])}::json)
    AS (id bigint, amount bigint, changes boolean)`;
  await ctx.db.query(
    sql`WITH total AS (${addToTotal(accountId, sql`(SELECT * FROM ${changes})`, raw('change.changes'))}
      ), changed AS (
        SELECT sent.*, total.updated_at FROM json_to_recordset(${JSON.stringify(rows)}::json)
          AS sent (deal_id bigint, product_id bigint, product_name text, before bigint, after bigint)
        JOIN total ON total.id = sent.deal_id
      )${kind ? happening(ctx.viewer, kind, 'changed', clock) : empty}
      ${auditEntries(ctx, changed, ...(kind ? [creationOf(events, 'event')] : []))}`,
  );
}

const changed = entriesOf(
  'deal.update',
  'changed',
  { before: totalMember('changed.before'), after: totalMember('changed.after') },
  { id: raw('changed.deal_id'), where: raw('changed.before <> changed.after') },
);
