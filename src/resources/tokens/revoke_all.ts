import type { UnitOfWork } from '../../context/context.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { auditedValue } from '../audit/columns.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { clock } from '../kernel/write/moment.ts';

const changes = {
  before: { revoked_at: null },
  after: raw(`json_build_object('revoked_at', ${auditedValue('timestamp', 'revoked.revoked_at')})`),
};

/** Revokes all tokens of a user, each with an audit entry, within a transaction. */
export async function revokeTokens(ctx: UnitOfWork, userId: number): Promise<void> {
  await ctx.db.query(
    sql`WITH revoked AS (
          UPDATE api_tokens SET revoked_at = moment()
          WHERE account_id = ${ctx.viewer.accountId} AND user_id = ${userId} AND revoked_at IS NULL
          RETURNING *
        ) ${auditEntries(ctx, entriesOf('token.revoke', 'revoked', changes, { at: clock }))}`,
  );
}
