import { type IssuedToken, issueToken, type NewToken } from '../../auth/tokens.ts';
import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { api_tokens } from './record.ts';

/**
 * Issues a token for a user of the account, within a transaction and without authorisation: for
 * operators, and for callers that `createToken` has already authorised.
 * @throws {DatabaseError} foreign_key when the account has no such user
 */
export async function issueFor(
  ctx: UnitOfWork,
  token: Omit<NewToken, 'accountId' | 'now'>,
): Promise<IssuedToken> {
  const { accountId } = ctx.viewer;
  const issued = await issueToken(ctx.db, { ...token, accountId, now: ctx.now });
  await ctx.db.query(
    sql`WITH issued AS (SELECT * FROM api_tokens WHERE account_id = ${accountId} AND id = ${issued.id})
        ${auditEntries(ctx, creationOf(api_tokens, 'issued'))}`,
  );
  return issued;
}
