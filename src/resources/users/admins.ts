/** An account always has an admin: without one nobody could manage it any more. */
import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';

/**
 * Whether a user is the account's only admin. The admins stay locked until the transaction ends, so
 * that of two admins who leave at the same moment the second one stays.
 */
export async function isOnlyAdmin(ctx: UnitOfWork, userId: number): Promise<boolean> {
  const admins = await ctx.db.query<{ id: number }>(
    sql`SELECT id FROM users WHERE account_id = ${ctx.viewer.accountId} AND role = 'admin'
        ORDER BY id FOR NO KEY UPDATE`,
  );
  return admins.length === 1 && admins[0]?.id === userId;
}
