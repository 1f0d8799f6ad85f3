import { authorize } from '../../auth/policy.ts';
import type { Scope } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { getRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { seenBy } from '../sessions/record.ts';

/** The user whom a token speaks for, or who is signed in. */
export interface Me extends Pick<Viewer, 'role'> {
  readonly user: RecordResult;
  readonly scopes: Scope[];
  /** Null without a token, and where it is not asked for. */
  readonly token: RecordResult | null;
  /** Null with a token, and where it is not asked for. */
  readonly session: RecordResult | null;
}

/** What is asked of the viewer; undefined for nothing. */
export interface MeSelection {
  readonly user: Selection;
  readonly token: Selection | undefined;
  readonly session: Selection | undefined;
}

/**
 * The calling user.
 * @throws {Fault} NOT_FOUND for another account
 */
export async function getMe(ctx: Context, account: unknown, selection: MeSelection): Promise<Me> {
  authorize(ctx.viewer, account, 'me.read');
  const { userId, tokenId, sessionId, role, scopes } = ctx.viewer;
  const { token, session } = selection;
  return {
    user: await getRecord(ctx, 'users', userId, selection.user),
    role,
    scopes: [...scopes.given],
    token: tokenId && token ? await getRecord(ctx, 'api_tokens', tokenId, token) : null,
    session:
      sessionId && session
        ? seenBy(ctx, await getRecord(ctx, 'sessions', sessionId, session))
        : null,
  };
}
