/** E-mail addresses are unique over all accounts: they are what a user signs in with. */
import type { UnitOfWork } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import type { Faults } from '../../errors.ts';

/** The message on an e-mail address that another user has. */
export const taken = 'has already been taken';

/** Reports an e-mail address that a user other than `except` has. */
export async function reportTaken(
  ctx: UnitOfWork,
  email: string | undefined,
  faults: Faults,
  except = 0,
): Promise<void> {
  if (!email) return;
  const found = await ctx.db.query(
    sql`SELECT FROM users WHERE email = ${email} AND id <> ${except}`,
    { named: true },
  );
  if (found.length > 0) faults.add('email', taken);
}
