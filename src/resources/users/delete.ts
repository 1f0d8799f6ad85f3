import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { invalid, notFound } from '../../errors.ts';
import { inTransaction } from '../kernel/transaction.ts';
import { type Remove, removalEntry } from '../kernel/write.ts';
import { isOnlyAdmin } from './admins.ts';
import { users } from './record.ts';

/** Rows detached from a user by one statement, so that none takes long. */
const batch = 1000;

/**
 * Removes a user with their tokens and assignments. The deals they created stay, without a creator.
 * The tokens stop working at once. Detaching the deals and assignments comes next, in batches; until
 * it is done the user is still listed, and a call that is interrupted can simply be repeated.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for the last admin
 */
export const deleteUser: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'user.delete');
  const userId = readId(id);
  await inTransaction(ctx, (tx) => endTokens(tx, userId));
  ctx.viewers.forget(ctx.viewer.accountId, userId);
  while (await detachSome(ctx, userId));
  return inTransaction(ctx, (tx) => remove(tx, userId));
};

const removed = removalEntry(users);

async function refuseOnlyAdmin(ctx: UnitOfWork, id: number): Promise<void> {
  if (await isOnlyAdmin(ctx, id)) throw invalid('role', 'is admin, and the account has no other');
}

async function endTokens(ctx: UnitOfWork, id: number): Promise<void> {
  await refuseOnlyAdmin(ctx, id);
  await ctx.db.query(
    sql`DELETE FROM api_tokens WHERE account_id = ${ctx.viewer.accountId} AND user_id = ${id}`,
    { named: true },
  );
}

/**
 * Detaches a batch of deals and assignments from a user, skipping those that others have locked.
 * @returns whether there were any
 */
async function detachSome(ctx: UnitOfWork, id: number): Promise<boolean> {
  const { accountId } = ctx.viewer;
  const [found] = await ctx.db.query<{ any: boolean }>(
    sql`WITH deals_batch AS (
        SELECT id FROM deals WHERE account_id = ${accountId} AND created_by_id = ${id}
        LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED
      ), assignees_batch AS (
        SELECT id FROM deal_assignees WHERE account_id = ${accountId} AND user_id = ${id}
        LIMIT ${batch} FOR UPDATE SKIP LOCKED
      ), released AS (
        UPDATE deals SET created_by_id = NULL
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM deals_batch)) RETURNING id
      ), unassigned AS (
        DELETE FROM deal_assignees
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM assignees_batch)) RETURNING id
      )
      SELECT EXISTS (SELECT FROM released) OR EXISTS (SELECT FROM unassigned) AS any`,
    { named: true },
  );
  return found?.any === true;
}

async function remove(ctx: UnitOfWork, id: number): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  await refuseOnlyAdmin(ctx, id);
  // A deal being created by this user waits for this lock, and then finds the user gone.
  await ctx.db.query(
    sql`SELECT FROM users WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`,
    { named: true },
  );
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH released AS (
        UPDATE deals SET created_by_id = NULL WHERE account_id = ${accountId} AND created_by_id = ${id}
      ), gone AS (
        DELETE FROM users WHERE account_id = ${accountId} AND id = ${id} RETURNING *
      ), audit AS (${removed(ctx)})
      SELECT id FROM gone`,
    { named: true },
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
