import { authorize, readId } from '../../auth/policy.ts';
import type { Context, UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { name, type Sql, sql } from '../../db/sql.ts';
import { isTeller, toldValue } from '../../db/told.ts';
import { notFound } from '../../errors.ts';
import { auditEntries } from '../audit/entry.ts';
import { lockStages, type Place, rearranged } from '../deals/places/place.ts';
import { position } from '../deals/places/position.ts';
import { removal } from '../kernel/removal.ts';
import { inTransaction } from '../kernel/transaction.ts';
import type { Remove } from '../kernel/write.ts';

/**
 * Removes a contact with its events and its deals, and with their products, assignees and events.
 * The deals that remain in a stage close the gaps.
 * @throws {Fault} NOT_FOUND
 */
export const deleteContact: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'contact.delete');
  return removeContact(ctx, readId(id));
};

/** The same for whoever may. */
export const removeContact = (ctx: Context, id: number): Promise<{ id: number }> =>
  inTransaction(ctx, (tx) => remove(tx, id));

function placesOf(ctx: UnitOfWork, contactId: number): Promise<Place[]> {
  const { accountId } = ctx.viewer;
  return ctx.db.query<Place>(
    sql`SELECT d.stage_id, ${toldValue(position, 'd', 's', accountId)} AS position
        FROM deals AS d JOIN stages AS s ON ${isTeller(position, 'd', 's', accountId)}
        WHERE d.account_id = ${accountId} AND d.contact_id = ${contactId}`,
    { named: true },
  );
}

/**
 * Locks come in the order of those who write the contact's deals: the contact itself, the stages, the deals.
 * What comes to belong to one of these meanwhile refers to it, and so is there once the last lock is had,
 * or will not be: the contact's own is therefore made stronger last.
 */
async function remove(ctx: UnitOfWork, id: number): Promise<{ id: number }> {
  const stages = await lockContact(ctx, id);
  const orders = await lockStages(ctx, stages);
  await lock(ctx, 'deals', sql`contact_id = ${id} ORDER BY id`);
  await lock(ctx, 'contacts', sql`id = ${id}`);
  const places = await placesOf(ctx, id);
  // A deal that has moved or come since would leave a gap in a stage that is not locked.
  if (places.some(({ stage_id }) => !stages.includes(stage_id))) throw conflict();
  const { steps, entries } = removal(ctx, 'contacts', sql`id = ${id}`);
  if (places.length === 0) {
    await ctx.db.query(sql`WITH ${steps} ${auditEntries(ctx, ...entries)}`, { named: true });
    return { id };
  }
  const left = await rearranged(ctx, orders, places);
  await ctx.db.query(
    sql`WITH ${steps}, ${left.steps} ${auditEntries(ctx, ...left.entries, ...entries)}`,
    { named: true },
  );
  return { id };
}

/**
 * @returns the stages of the contact's deals
 * @throws {Fault} NOT_FOUND
 */
async function lockContact(ctx: UnitOfWork, id: number): Promise<readonly number[]> {
  const { accountId } = ctx.viewer;
  const found = await ctx.db.query<{ stage_id: number | null }>(
    sql`SELECT d.stage_id FROM contacts AS c
        LEFT JOIN deals AS d ON d.account_id = ${accountId} AND d.contact_id = c.id
        WHERE c.account_id = ${accountId} AND c.id = ${id} FOR NO KEY UPDATE OF c`,
    { named: true },
  );
  if (found.length === 0) throw notFound();
  return [...new Set(found.flatMap(({ stage_id }) => stage_id ?? []))];
}

/** Locks records against whatever may come to refer to them. */
const lock = (ctx: UnitOfWork, table: 'contacts' | 'deals', which: Sql): Promise<unknown> =>
  ctx.db.query(
    sql`SELECT FROM ${name(table)} WHERE account_id = ${ctx.viewer.accountId} AND ${which} FOR UPDATE`,
    { named: true },
  );
