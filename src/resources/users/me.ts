import { authorize } from '../../auth/policy.ts';
import type { Scope } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import { getRecord, type Stored } from '../kernel/record.ts';

/** Who a token speaks for. */
export interface Me extends Pick<Viewer, 'role'> {
  readonly user: Stored;
  readonly scopes: Scope[];
  /** Null without a token, and where it is not asked for. */
  readonly token: Stored | null;
}

/**
 * The user whose token the call carries.
 * @param token what is shown of that; undefined for nothing
 * @throws {Fault} NOT_FOUND for another account
 */
export async function getMe(
  ctx: Context,
  account: unknown,
  selection: Selection,
  token: Selection | undefined,
): Promise<Me> {
  authorize(ctx.viewer, account, 'me.read');
  const { userId, tokenId, role, scopes } = ctx.viewer;
  return {
    user: await getRecord(ctx, 'users', userId, selection),
    role,
    scopes: [...scopes.given],
    token: tokenId && token ? await getRecord(ctx, 'api_tokens', tokenId, token) : null,
  };
}
