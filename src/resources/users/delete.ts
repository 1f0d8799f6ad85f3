import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { lastState, type Remove } from '../kernel/write.ts';
import { requireAnotherAdmin } from './admins.ts';
import { users } from './record.ts';

/** What refers to a user is let go of so many at a time, so that no statement takes long. */
const part = 1000;

/**
 * Removes a user with its tokens and its assignments. The deals that it created stay, of nobody.
 * Its tokens end at once. Until the last of what it did is let go of, the user still shows, without
 * tokens; where this is interrupted, another call goes on with it.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for the last admin
 */
export const deleteUser: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'user.delete');
  const userId = readId(id);
  await retrying(() => ctx.db.transaction((db) => endTokens({ ...ctx, db }, userId)));
  while (await letGo(ctx, userId));
  return retrying(() => ctx.db.transaction((db) => remove({ ...ctx, db }, userId)));
};

async function endTokens(ctx: UnitOfWork, id: number): Promise<void> {
  await requireOtherAdmin(ctx, id);
  await ctx.db.query(
    sql`DELETE FROM api_tokens WHERE account_id = ${ctx.viewer.accountId} AND user_id = ${id}`,
    { named: true },
  );
}

/**
 * Lets go of a part of what refers to a user, but for what others are at work on.
 * @returns whether there was any
 */
async function letGo(ctx: UnitOfWork, id: number): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const [found] = await ctx.db.query<{ any: boolean }>(
    sql`WITH deals_part AS (
        SELECT id FROM deals WHERE account_id = ${accountId} AND created_by_id = ${id}
        LIMIT ${part} FOR NO KEY UPDATE SKIP LOCKED
      ), assignees_part AS (
        SELECT id FROM deal_assignees WHERE account_id = ${accountId} AND user_id = ${id}
        LIMIT ${part} FOR UPDATE SKIP LOCKED
      ), released AS (
        UPDATE deals SET created_by_id = NULL
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM deals_part)) RETURNING id
      ), unassigned AS (
        DELETE FROM deal_assignees
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM assignees_part)) RETURNING id
      )
      SELECT EXISTS (SELECT FROM released) OR EXISTS (SELECT FROM unassigned) AS any`,
    { named: true },
  );
  return found?.any === true;
}

async function requireOtherAdmin(ctx: UnitOfWork, id: number): Promise<void> {
  const faults = new Faults();
  await requireAnotherAdmin(ctx, id, faults, 'is admin, and the account has no other');
  faults.throwIfAny();
}

async function remove(ctx: UnitOfWork, id: number): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  await requireOtherAdmin(ctx, id);
  // Whoever creates a deal for the user waits here, and then finds the user gone.
  await ctx.db.query(
    sql`SELECT FROM users WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`,
    { named: true },
  );
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH released AS (
        UPDATE deals SET created_by_id = NULL WHERE account_id = ${accountId} AND created_by_id = ${id}
      ), gone AS (
        DELETE FROM users WHERE account_id = ${accountId} AND id = ${id} RETURNING *
      ), audit AS (${auditEntry(ctx, 'user.delete', 'gone', { before: lastState(users), after: null })})
      SELECT id FROM gone`,
    { named: true },
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
