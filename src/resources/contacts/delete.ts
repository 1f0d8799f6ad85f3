import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { isTeller, toldValue } from '../../db/told.ts';
import { notFound } from '../../errors.ts';
import { dealRemovalEntry } from '../deals/delete.ts';
import { lockStages, type Place, rearranged } from '../deals/places/place.ts';
import { position } from '../deals/places/position.ts';
import { type Remove, removalEntry } from '../kernel/write.ts';
import { contacts } from './record.ts';

/**
 * Removes a contact with its events and its deals, and with their products, assignees and events.
 * The deals that remain in a stage close the gaps.
 * @throws {Fault} NOT_FOUND
 */
export const deleteContact: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'contact.delete');
  const contactId = readId(id);
  return retrying(async () => {
    const stages = (await placesOf(ctx, contactId)).map((place) => place.stage_id);
    return ctx.db.transaction((db) => remove({ ...ctx, db }, contactId, [...new Set(stages)]));
  });
};

const removed = removalEntry(contacts);
const dealsRemoved = dealRemovalEntry('deals_gone');

function placesOf(ctx: UnitOfWork, contactId: number): Promise<Place[]> {
  const { accountId } = ctx.viewer;
  return ctx.db.query<Place>(
    sql`SELECT d.stage_id, ${toldValue(position, 'd', 's', accountId)} AS position
        FROM deals AS d JOIN stages AS s ON ${isTeller(position, 'd', 's', accountId)}
        WHERE d.account_id = ${accountId} AND d.contact_id = ${contactId}`,
    { named: true },
  );
}

async function remove(
  ctx: UnitOfWork,
  id: number,
  stages: readonly number[],
): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  const orders = await lockStages(ctx, stages);
  await lockContact(ctx, id);
  const places = await placesOf(ctx, id);
  // A deal that has moved since would leave a gap in a stage that is not locked.
  if (places.some(({ stage_id }) => !stages.includes(stage_id))) throw conflict();
  await ctx.db.query(
    sql`WITH deals_gone AS (SELECT d.*, ${toldValue(position, 'd', 's', accountId)} AS position
        FROM deals AS d JOIN stages AS s ON ${isTeller(position, 'd', 's', accountId)}
        WHERE d.account_id = ${accountId} AND d.contact_id = ${id} FOR UPDATE OF d),
      deals_audit AS (${dealsRemoved(ctx)}),
      gone AS (DELETE FROM contacts WHERE account_id = ${accountId} AND id = ${id} RETURNING *)
      ${removed(ctx)}`,
    { named: true },
  );
  if (places.length > 0) {
    const { steps } = await rearranged(ctx, orders, places);
    await ctx.db.query(sql`WITH ${steps} SELECT`);
  }
  return { id };
}

async function lockContact(ctx: UnitOfWork, id: number): Promise<void> {
  const [contact] = await ctx.db.query<{ id: number }>(
    sql`SELECT id FROM contacts WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} FOR UPDATE`,
    { named: true },
  );
  if (!contact) throw notFound();
}
