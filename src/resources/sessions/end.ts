import type { UnitOfWork } from '../../context.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';

/** What the trail keeps of a session that ended. */
const kept = sql`json_build_object('user_id', ended.user_id, 'user_agent', ended.user_agent, 'ip', ended.ip)`;

/**
 * Ends those of the account's sessions that a condition is true of, each with an audit entry. Who they
 * belonged to is to be forgotten once that is committed.
 * @returns their ids and users
 */
export const endSessions = (
  ctx: UnitOfWork,
  which: Sql,
): Promise<readonly { readonly id: number; readonly user_id: number }[]> =>
  ctx.db.query(
    sql`WITH ended AS (
          DELETE FROM sessions WHERE account_id = ${ctx.viewer.accountId} AND ${which} RETURNING *
        ), audit AS (${auditEntry(ctx, 'session.delete', 'ended', { before: kept, after: null })})
        SELECT id, user_id FROM ended`,
    { named: true },
  );
