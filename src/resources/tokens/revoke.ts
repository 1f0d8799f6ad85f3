import { authorize, readId } from '../../auth/policy.ts';
import { revokeToken, type TokenRecord } from '../../auth/tokens.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { recordAudit } from '../audit/entry.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { lockExpected } from '../kernel/write/version.ts';
import type { Remove } from '../kernel/write/write.ts';
import { ownerOf } from './read.ts';
import { api_tokens } from './record.ts';

/**
 * Revokes a token of the viewer or, as an admin, of any user of the account; its record stays. It
 * works no more in this process, and in five seconds in no other. Revoking it again changes nothing.
 * @throws {Fault} NOT_FOUND, also for another's as a member
 */
export const deleteToken: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'token.revoke');
  const tokenId = readId(id);
  const owner = await ownerOf(ctx, tokenId);
  refuseDryRun(ctx);
  await inTransaction(ctx, async (tx) => {
    await lockExpected(tx, api_tokens, tokenId);
    await revoke(tx, tokenId);
  });
  ctx.viewers.forget(accountId, owner);
  return { id: tokenId };
};

/**
 * Revokes a token of the account, within a transaction and without authorisation: for operators.
 * @returns undefined when there is no token with this id
 */
export async function revoke(ctx: UnitOfWork, id: number): Promise<TokenRecord | undefined> {
  const token = await revokeToken(ctx.db, ctx.viewer.accountId, id, ctx.now);
  if (token && token.revoked_at === ctx.now.toISOString()) {
    const changes = { before: { revoked_at: null }, after: { revoked_at: token.revoked_at } };
    await recordAudit(ctx, 'token.revoke', id, changes);
  }
  return token;
}
