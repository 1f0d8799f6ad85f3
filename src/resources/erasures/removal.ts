/** Removing the contact itself. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { auditEntries } from '../audit/entry.ts';
import { removeContacts } from '../contacts/delete.ts';
import { addToTotal, totalChanged } from '../deal_products/total.ts';
import { removeDeals } from '../deals/delete.ts';
import { removal } from '../kernel/write/removal.ts';
import type { PageSize } from './pages.ts';
import type { Subject } from './records.ts';

/** As many deals are removed as other rows by one statement, each with all that is beneath it. */
const rowsOfDeal = 10;

/**
 * Removes the contact as its deletion does. Where more goes with it than one statement may remove, that goes
 * first, in parts.
 * @returns whether there may be more
 */
export async function removeSubject(
  ctx: UnitOfWork,
  subject: Subject,
  { rows }: PageSize,
): Promise<boolean> {
  const { accountId } = ctx.viewer;
  await forgetAliases(ctx, subject);
  const { contact_id } = subject;
  const deals = sql`SELECT id FROM deals WHERE account_id = ${accountId} AND contact_id = ${contact_id} ORDER BY id`;
  const events = await ids(
    ctx,
    sql`SELECT id FROM events WHERE account_id = ${accountId} AND contact_id = ${contact_id} ORDER BY id LIMIT ${rows + 1}`,
  );
  if (events.length > rows) {
    const { steps, entries } = removal(ctx, 'events', sql`id = ANY(${events}::bigint[])`);
    await ctx.db.query(sql`WITH ${steps} ${auditEntries(ctx, ...entries)}`, adhoc);
    return true;
  }
  const attached = await ids(
    ctx,
    sql`SELECT id FROM deal_products WHERE account_id = ${accountId} AND deal_id IN (${deals}) LIMIT ${rows + 1}`,
  );
  if (attached.length > rows) {
    await removeAttached(ctx, attached);
    return true;
  }
  const many = Math.max(1, Math.floor(rows / rowsOfDeal));
  const some = await ids(ctx, sql`${deals} LIMIT ${many + 1}`);
  if (some.length > many) {
    await removeDeals(ctx, some);
    return true;
  }
  await removeContacts(ctx, [contact_id]);
  return false;
}

async function ids({ db }: UnitOfWork, query: Parameters<UnitOfWork['db']['query']>[0]) {
  return (await db.query<{ id: number }>(query, adhoc)).map(({ id }) => id);
}

/** Takes products off deals, and what they cost off the totals of these. */
async function removeAttached(ctx: UnitOfWork, attached: readonly number[]): Promise<void> {
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`SELECT FROM deals WHERE account_id = ${accountId} AND id IN (
          SELECT deal_id FROM deal_products WHERE account_id = ${accountId} AND id = ANY(${attached}::bigint[]))
        ORDER BY id FOR NO KEY UPDATE`,
    adhoc,
  );
  const { steps, entries } = removal(ctx, 'deal_products', sql`id = ANY(${attached}::bigint[])`);
  const amounts = sql`(SELECT deal_id AS id, -sum(total_amount_in_cents)::bigint AS amount FROM gone GROUP BY deal_id)`;
  await ctx.db.query(
    sql`WITH ${steps}, total AS (${addToTotal(accountId, amounts)})
      ${auditEntries(ctx, ...entries, totalChanged)}`,
    adhoc,
  );
}

/** Those that were merged into the contact are erased with it; where it was merged itself, nothing leads on from it. */
async function forgetAliases(ctx: UnitOfWork, { id, contact_id }: Subject): Promise<void> {
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`INSERT INTO erasure_records (account_id, erasure_id, record_type, record_id)
        SELECT ${accountId}::bigint, ${id}::bigint, 'contact', merged_id FROM contact_aliases
        WHERE account_id = ${accountId} AND contact_id = ${contact_id} ON CONFLICT DO NOTHING`,
    adhoc,
  );
  await ctx.db.query(
    sql`DELETE FROM contact_aliases
      WHERE account_id = ${accountId} AND (merged_id = ${contact_id} OR contact_id = ${contact_id})`,
    adhoc,
  );
}
