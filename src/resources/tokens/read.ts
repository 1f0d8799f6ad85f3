/** Reading tokens: members have their own, admins those of everybody in the account. */
import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { parseSearch } from '../../search/parse.ts';
import { everything } from '../../search/search.ts';
import { getPage } from '../kernel/read/page.ts';
import type { ById, List } from '../kernel/read/read.ts';
import { getRecord } from '../kernel/read/record.ts';
import { shapes } from '../shapes.ts';

/**
 * Whose a token is that the viewer may see.
 * @throws {Fault} NOT_FOUND for any other, whether there is one or not
 */
export async function ownerOf({ db, viewer }: UnitOfWork, id: number): Promise<number> {
  const { accountId, userId, role } = viewer;
  const [token] = await db.query<{ user_id: number }>(
    sql`SELECT user_id FROM api_tokens WHERE account_id = ${accountId} AND id = ${id}`,
  );
  if (!token || (role !== 'admin' && token.user_id !== userId)) throw notFound();
  return token.user_id;
}

/** @throws {Fault} NOT_FOUND, also for another's as a member */
export const getToken: ById = async (ctx, account, id, selection) => {
  authorize(ctx.viewer, account, 'token.read');
  const tokenId = readId(id);
  await ownerOf(ctx, tokenId);
  return getRecord(ctx, 'api_tokens', tokenId, selection);
};

/** @throws {Fault} INVALID_SEARCH for a query, page or size that cannot be read */
export const listTokens: List = async (ctx, account, search, selection) => {
  authorize(ctx.viewer, account, 'token.read');
  const { role, userId } = ctx.viewer;
  const own = parseSearch({ user_id_eq: userId }, 'api_tokens', shapes).where;
  return getPage(ctx, 'api_tokens', search, selection, [], role === 'admin' ? everything : own);
};
