import { issueToken, type NewToken } from '../../auth/tokens.ts';
import type { UnitOfWork } from '../../context.ts';
import { recordAudit } from '../audit/entry.ts';

/**
 * Issues a token for a user of the account, within a transaction. Only an operator may, never a
 * viewer.
 */
export async function issueFor(
  ctx: UnitOfWork,
  { userId, name, ttl, key }: Omit<NewToken, 'accountId' | 'now'>,
): Promise<string> {
  const { accountId } = ctx.viewer;
  const issued = await issueToken(ctx.db, { accountId, userId, name, ttl, key, now: ctx.now });
  const after = { user_id: userId, name, expires_at: issued.expiresAt };
  await recordAudit(ctx, 'token.create', issued.id, { before: null, after });
  return issued.token;
}
