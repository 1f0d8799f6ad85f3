import { hashPassword } from '../../auth/passwords.ts';
import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';
import { endSessions } from '../sessions/end.ts';
import { endingLinks } from './sign_in_link.ts';

/** Hashes a password that somebody of the account sets, in the account's turn. */
export const hashFor = ({ viewer }: UnitOfWork, password: string): Promise<string> =>
  hashPassword(password, viewer.accountId);

/** All that the audit trail shows of a new password is that there is one. */
export const passwordChanged = { password_changed: true };

/**
 * Gives a user another password, within a transaction, and ends their link, and their sessions but that of the viewer.
 * @param hash of the password
 */
export async function setPassword(ctx: UnitOfWork, userId: number, hash: string): Promise<void> {
  await ctx.db.query(
    sql`WITH changed AS (
          UPDATE users SET password_hash = ${hash}, updated_at = moment()
          WHERE account_id = ${ctx.viewer.accountId} AND id = ${userId} RETURNING *
        )${endingLinks(ctx, 'changed')} ${auditEntry(ctx, 'user.update', 'changed', { before: {}, after: passwordChanged })}`,
    { named: true },
  );
  await endOtherSessions(ctx, userId);
}

/** Ends the sessions of a user, but for the one that the viewer has. */
export const endOtherSessions = (ctx: UnitOfWork, userId: number): Promise<unknown> =>
  endSessions(
    ctx,
    sql`sessions.user_id = ${userId} AND sessions.id <> ${ctx.viewer.sessionId ?? 0}`,
  );
