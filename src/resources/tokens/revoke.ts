import { revokeToken, type TokenRecord } from '../../auth/tokens.ts';
import type { UnitOfWork } from '../../context.ts';
import { recordAudit } from '../audit/entry.ts';

/**
 * Revokes a token, within a transaction; revoking it again changes nothing. Only an operator may,
 * never a viewer.
 * @returns undefined when there is no token with this id
 */
export async function revoke(ctx: UnitOfWork, id: number): Promise<TokenRecord | undefined> {
  const token = await revokeToken(ctx.db, id, ctx.now);
  if (token && token.revoked_at === ctx.now.toISOString()) {
    const changes = { before: { revoked_at: null }, after: { revoked_at: token.revoked_at } };
    await recordAudit(ctx, 'token.revoke', id, changes);
  }
  return token;
}
