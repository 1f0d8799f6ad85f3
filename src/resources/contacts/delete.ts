import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, retrying } from '../../db/errors.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { closeGaps, lockStages } from '../pipelines/place.ts';
import type { Working } from '../record.ts';

/**
 * Removes a contact with its deals, their products, assignees and events, and its own events. The
 * deals that stay close up in their stages.
 * @throws {Fault} NOT_FOUND
 */
export async function deleteContact(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ id: number }> {
  authorize(ctx.viewer, account, 'contact.delete');
  const contactId = readId(id);
  return retrying(async () => {
    const stages = await stagesOf(ctx, contactId);
    return ctx.db.transaction((db) => remove({ ...ctx, db }, contactId, stages));
  });
}

async function stagesOf(ctx: Working, contactId: number): Promise<number[]> {
  const rows = await ctx.db.query<{ stage_id: number }>(
    sql`SELECT DISTINCT stage_id FROM deals
        WHERE account_id = ${ctx.viewer.accountId} AND contact_id = ${contactId}`,
    { named: true },
  );
  return rows.map((row) => row.stage_id);
}

async function remove(
  ctx: Working,
  id: number,
  stages: readonly number[],
): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  await lockStages(ctx, stages);
  await lockContact(ctx, id);
  // A deal that came to a stage since then would leave a gap in one that is not locked.
  if ((await stagesOf(ctx, id)).some((stage) => !stages.includes(stage))) throw conflict();
  await ctx.db.query(
    sql`WITH deals_gone AS (SELECT * FROM deals WHERE account_id = ${accountId} AND contact_id = ${id} FOR UPDATE),
      deals_audit AS (${auditEntry(ctx, 'deal.delete', 'deals_gone', { before: dealBefore, after: null })}),
      gone AS (DELETE FROM contacts WHERE account_id = ${accountId} AND id = ${id} RETURNING *)
      ${auditEntry(ctx, 'contact.delete', 'gone', { before: contactBefore, after: null })}`,
    { named: true },
  );
  await closeGaps(ctx, stages);
  return { id };
}

const dealBefore: Sql = sql`json_build_object('name', deals_gone.name, 'status', deals_gone.status,
  'contact_id', deals_gone.contact_id, 'stage_id', deals_gone.stage_id, 'position', deals_gone.position,
  'total_deal_products_amount_in_cents', deals_gone.total_deal_products_amount_in_cents)`;

const contactBefore = sql`json_build_object('full_name', gone.full_name, 'email', gone.email,
  'phone', gone.phone, 'label_list', gone.label_list, 'custom_attributes', gone.custom_attributes)`;

async function lockContact(ctx: Working, id: number): Promise<void> {
  const [contact] = await ctx.db.query<{ id: number }>(
    sql`SELECT id FROM contacts WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} FOR UPDATE`,
    { named: true },
  );
  if (!contact) throw notFound();
}
