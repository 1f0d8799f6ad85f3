import { hashPassword } from '../../auth/passwords.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { endSessions } from '../sessions/end.ts';
import { endingLinks, linksEnded } from './sign_in_link.ts';

/** Hashes a password that somebody of the account sets, in the account's turn. */
export const hashFor = ({ viewer }: UnitOfWork, password: string): Promise<string> =>
  hashPassword(password, viewer.accountId);

/** All that the audit trail shows of a new password is that there is one. */
export const passwordChanged = { password_changed: true };

/**
 * The entry of a user who got another password.
 * @param row the WITH query that returned the user
 */
export const passwordEntry = (row: string): Sql =>
  entriesOf('user.update', row, { before: {}, after: passwordChanged });

/**
 * Gives a user another password, within a transaction, and ends their link, and their sessions but
 * that of the viewer.
 * @param hash of the password
 */
export async function setPassword(ctx: UnitOfWork, userId: number, hash: string): Promise<void> {
  await ctx.db.query(
    sql`WITH changed AS (
          UPDATE users SET password_hash = ${hash}, updated_at = moment()
          WHERE account_id = ${ctx.viewer.accountId} AND id = ${userId} RETURNING *
        )${endingLinks(ctx, 'changed')} ${auditEntries(ctx, linksEnded, passwordEntry('changed'))}`,
  );
  await endOtherSessions(ctx, userId);
}

/** Ends the sessions of a user, but for the one that the viewer has. */
export const endOtherSessions = (ctx: UnitOfWork, userId: number): Promise<unknown> =>
  endSessions(
    ctx,
    sql`sessions.user_id = ${userId} AND sessions.id <> ${ctx.viewer.sessionId ?? 0}`,
  );
