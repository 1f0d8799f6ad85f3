/** An account always has an admin: without one nobody could manage it any more. */
import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import type { Faults } from '../../errors.ts';

/**
 * Reports that a user is the account's only admin. The admins stay locked, so that of two that
 * leave at the same moment the second one stays.
 * @param message what is told on `role`
 */
export async function requireAnotherAdmin(
  ctx: UnitOfWork,
  userId: number,
  faults: Faults,
  message: string,
): Promise<void> {
  const admins = await ctx.db.query<{ id: number }>(
    sql`SELECT id FROM users WHERE account_id = ${ctx.viewer.accountId} AND role = 'admin'
        ORDER BY id FOR NO KEY UPDATE`,
    { named: true },
  );
  if (admins.length === 1 && admins[0]?.id === userId) faults.add('role', message);
}
