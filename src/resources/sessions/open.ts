/** A session begins: a row, an audit entry, and a secret that the browser alone keeps. */
import { hashOf, lasting, newSecret } from '../../auth/sessions.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { sessions } from './record.ts';
import { shownOf, type Visit } from './visit.ts';

/** A session that has begun. */
export interface NewSession {
  readonly account_id: number;
  readonly user_id: number;
  /** When it ends unless it is used until then: ISO 8601. */
  readonly expires_at: string;
  /** To be shown to nobody else, and not stored. */
  readonly secret: string;
}

/**
 * Opens a session of a user whom the caller has made sure of.
 * @param ctx of the user's account, within a transaction or not
 */
export async function openSession(
  ctx: UnitOfWork,
  userId: number,
  visit: Visit,
): Promise<NewSession> {
  const { accountId } = ctx.viewer;
  const secret = newSecret();
  const client = shownOf(visit);
  const [opened] = await ctx.db.query<{ expires_at: string }>(
    sql`WITH opened AS (
          INSERT INTO sessions (account_id, user_id, token_hash, user_agent, ip, expires_at)
          VALUES (${accountId}, ${userId}, ${hashOf(secret)}, ${client.user_agent}, ${client.ip},
            now() + make_interval(secs => ${lasting.idle}))
          RETURNING *
        ), audit AS (${auditEntries(asUser(ctx, userId), creationOf(sessions, 'opened'))})
        SELECT expires_at FROM opened`,
  );
  if (!opened) throw new Error('the session that began was not returned');
  return {
    account_id: accountId,
    user_id: userId,
    expires_at: new Date(opened.expires_at).toISOString(),
    secret,
  };
}

/** The same call on behalf of a user who has proved to be one. */
export const asUser = (ctx: UnitOfWork, userId: number): UnitOfWork => ({
  ...ctx,
  viewer: { ...ctx.viewer, userId },
});
