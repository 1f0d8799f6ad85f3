import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { empty, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries, removalOf } from '../audit/entry.ts';
import type { Remove } from '../kernel/write/write.ts';
import { sessions } from './record.ts';

/**
 * Ends those of the account's sessions that meet a condition, each with an audit entry, within a transaction.
 * The caller must have their users forgotten (`Viewers`) once that is committed.
 * @returns their ids and users
 */
export const endSessions = (
  ctx: UnitOfWork,
  which: Sql,
): Promise<readonly { readonly id: number; readonly user_id: number }[]> =>
  ctx.db.query(
    sql`WITH ended AS (
          DELETE FROM sessions WHERE account_id = ${ctx.viewer.accountId} AND ${which} RETURNING *
        ), audit AS (${auditEntries(ctx, removalOf(sessions, 'ended'))})
        SELECT id, user_id FROM ended`,
  );

/** The same outside of a transaction. */
export const endSessionsAlone: typeof endSessions = (ctx, which) =>
  retryConflicts(() => endSessions(ctx, which));

/**
 * Ends a session: members their own, admins anybody's.
 * @throws {Fault} NOT_FOUND, also for somebody else's as a member
 */
export const deleteSession: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'session.delete');
  refuseDryRun(ctx);
  const { role, userId } = ctx.viewer;
  const own = role === 'admin' ? empty : sql`AND sessions.user_id = ${userId}`;
  const [ended] = await endSessionsAlone(ctx, sql`sessions.id = ${readId(id)} ${own}`);
  if (!ended) throw notFound();
  ctx.viewers.forget(accountId, ended.user_id);
  return { id: ended.id };
};
