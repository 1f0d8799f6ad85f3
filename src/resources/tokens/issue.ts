import { type IssuedToken, issueToken, type NewToken } from '../../auth/tokens.ts';
import type { UnitOfWork } from '../../context.ts';
import { recordAudit } from '../audit/entry.ts';

/**
 * Issues a token for a user of the account, within a transaction and without authorisation: for
 * operators, and for whom {@link file://./create.ts} has let in.
 * @throws {DatabaseError} foreign_key when the account has no such user
 */
export async function issueFor(
  ctx: UnitOfWork,
  token: Omit<NewToken, 'accountId' | 'now'>,
): Promise<IssuedToken> {
  const { accountId } = ctx.viewer;
  const { userId, name, scopes } = token;
  const issued = await issueToken(ctx.db, { ...token, accountId, now: ctx.now });
  const after = { user_id: userId, name, scopes, expires_at: issued.expiresAt };
  await recordAudit(ctx, 'token.create', issued.id, { before: null, after });
  return issued;
}
