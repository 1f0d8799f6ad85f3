import { authorize } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import { getRecord, type Stored } from '../kernel/record.ts';

/** Who a token speaks for. */
export interface Me extends Pick<Viewer, 'role'> {
  readonly user: Stored;
}

/**
 * The user whose token the call carries.
 * @throws {Fault} NOT_FOUND for another account
 */
export async function getMe(ctx: Context, account: unknown, selection: Selection): Promise<Me> {
  authorize(ctx.viewer, account, 'me.read');
  const { userId, role } = ctx.viewer;
  return { user: await getRecord(ctx, 'users', userId, selection), role };
}
