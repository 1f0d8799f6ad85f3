import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';

/** Revokes all tokens of a user, each with an audit entry, within a transaction. */
export async function revokeTokens(ctx: UnitOfWork, userId: number): Promise<void> {
  const changes = {
    before: sql`'{"revoked_at":null}'::json`,
    after: sql`json_build_object('revoked_at', revoked.revoked_at)`,
  };
  await ctx.db.query(
    sql`WITH revoked AS (
          UPDATE api_tokens SET revoked_at = moment()
          WHERE account_id = ${ctx.viewer.accountId} AND user_id = ${userId} AND revoked_at IS NULL
          RETURNING *
        ) ${auditEntry(ctx, 'token.revoke', 'revoked', changes)}`,
    { named: true },
  );
}
