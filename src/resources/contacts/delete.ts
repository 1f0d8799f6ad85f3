import { authorize, readId } from '../../auth/policy.ts';
import type { Context, UnitOfWork } from '../../context/context.ts';
import { conflict } from '../../db/errors.ts';
import { expression, isSource } from '../../db/sql/computed_column.ts';
import { name, type Sql, sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries } from '../audit/entry.ts';
import { lockStages, type Place, rearranged } from '../deals/positions/place.ts';
import { position } from '../deals/positions/position.ts';
import { removal } from '../kernel/write/removal.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { requireExpected, versionOf } from '../kernel/write/version.ts';
import type { Remove } from '../kernel/write/write.ts';
import { contacts } from './record.ts';

/**
 * Removes a contact with its events and its deals, and with their products, assignees and events.
 * The deals that remain in a stage close the gaps.
 * @throws {Fault} NOT_FOUND
 */
export const deleteContact: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'contact.delete');
  return removeContact(ctx, readId(id));
};

/** The same for callers that are authorised already. */
export async function removeContact(ctx: Context, id: number): Promise<{ id: number }> {
  const [gone] = await inTransaction(ctx, (tx) => removeContacts(tx, [id]));
  if (gone === undefined) throw notFound();
  return { id: gone };
}

function placesOf(ctx: UnitOfWork, contactIds: readonly number[]): Promise<Place[]> {
  const { accountId } = ctx.viewer;
  return ctx.db.query<Place>(
    sql`SELECT d.stage_id, ${expression(position, 'd', 's', accountId)} AS position
        FROM deals AS d JOIN stages AS s ON ${isSource(position, 'd', 's', accountId)}
        WHERE d.account_id = ${accountId} AND d.contact_id = ANY(${contactIds}::bigint[])`,
  );
}

/**
 * Removes contacts in one transaction. Locks are taken in the same order as when a contact's deals
 * are written: the contact itself, the stages, the deals. Anything added to one of these meanwhile
 * refers to it, and so is either there once the last lock is taken, or will fail: the contact's own
 * lock is therefore made stronger last.
 * @returns the ids of those that existed
 */
export async function removeContacts(
  ctx: UnitOfWork,
  contactIds: readonly number[],
): Promise<readonly number[]> {
  const { ids, stages } = await lockContacts(ctx, contactIds);
  if (ids.length === 0) return ids;
  const orders = await lockStages(ctx, stages);
  await lock(ctx, 'deals', sql`contact_id = ANY(${ids}::bigint[]) ORDER BY id`);
  await lock(ctx, 'contacts', sql`id = ANY(${ids}::bigint[]) ORDER BY id`);
  const places = await placesOf(ctx, ids);
  // A deal that has moved or come since would leave a gap in a stage that is not locked.
  if (places.some(({ stage_id }) => !stages.includes(stage_id))) throw conflict();
  const { steps, entries } = removal(ctx, 'contacts', sql`id = ANY(${ids}::bigint[])`);
  if (places.length === 0) {
    await ctx.db.query(sql`WITH ${steps} ${auditEntries(ctx, ...entries)}`);
    return ids;
  }
  const rearrangement = await rearranged(ctx, orders, places);
  await ctx.db.query(
    sql`WITH ${steps}, ${rearrangement.steps} ${auditEntries(ctx, ...rearrangement.entries, ...entries)}`,
  );
  return ids;
}

/**
 * @returns those that there are, and the stages of their deals
 * @throws {Fault} PRECONDITION_FAILED
 */
async function lockContacts(
  ctx: UnitOfWork,
  ids: readonly number[],
): Promise<{ readonly ids: readonly number[]; readonly stages: readonly number[] }> {
  const { accountId } = ctx.viewer;
  const rows = await ctx.db.query<{ id: number; stage_id: number | null; version: string }>(
    sql`SELECT c.id, d.stage_id, ${versionOf(contacts, 'c')} AS version FROM contacts AS c
        LEFT JOIN deals AS d ON d.account_id = ${accountId} AND d.contact_id = c.id
        WHERE c.account_id = ${accountId} AND c.id = ANY(${ids}::bigint[])
        ORDER BY c.id FOR NO KEY UPDATE OF c`,
  );
  for (const { version } of rows) requireExpected(ctx, version);
  return {
    ids: [...new Set(rows.map(({ id }) => id))],
    stages: [...new Set(rows.flatMap(({ stage_id }) => stage_id ?? []))],
  };
}

/** Locks records against whatever may come to refer to them. */
const lock = (ctx: UnitOfWork, table: 'contacts' | 'deals', which: Sql): Promise<unknown> =>
  ctx.db.query(
    sql`SELECT FROM ${name(table)} WHERE account_id = ${ctx.viewer.accountId} AND ${which} FOR UPDATE`,
  );
