import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { retrying } from '../../db/errors.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import type { Working } from '../record.ts';
import { requireAnotherAdmin } from './admins.ts';

/**
 * Removes a user with its tokens and its assignments. The deals that it created stay, of nobody.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for the last admin
 */
export async function deleteUser(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ id: number }> {
  authorize(ctx.viewer, account, 'user.delete');
  const userId = readId(id);
  return retrying(() => ctx.db.transaction((db) => remove({ ...ctx, db }, userId)));
}

async function remove(ctx: Working, id: number): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  const faults = new Faults();
  await requireAnotherAdmin(ctx, id, faults, 'is admin, and the account has no other');
  faults.throwIfAny();
  // Whoever creates a deal for the user waits here, and then finds the user gone.
  await ctx.db.query(
    sql`SELECT FROM users WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`,
    { named: true },
  );
  const before = sql`json_build_object('email', gone.email, 'role', gone.role, 'full_name', gone.full_name,
    'phone', gone.phone, 'language', gone.language, 'avatar_url', gone.avatar_url,
    'job_description', gone.job_description,
    'webpush_notify_on_event_expired', gone.webpush_notify_on_event_expired)`;
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH released AS (
        UPDATE deals SET created_by_id = NULL WHERE account_id = ${accountId} AND created_by_id = ${id}
      ), gone AS (
        DELETE FROM users WHERE account_id = ${accountId} AND id = ${id} RETURNING *
      ), audit AS (${auditEntry(ctx, 'user.delete', 'gone', { before, after: null })})
      SELECT id FROM gone`,
    { named: true },
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
