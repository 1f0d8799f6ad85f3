/** E-mail addresses are unique over all accounts: they are what a user signs in with. */
import type { UnitOfWork } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';

/**
 * Reports an e-mail address that a user other than `except` has, and who that is in the viewer's own
 * account.
 */
export async function reportTaken(
  ctx: UnitOfWork,
  email: string | undefined,
  faults: Faults,
  except = 0,
): Promise<void> {
  if (!email) return;
  const [holder] = await ctx.db.query<{ id: number; account_id: number }>(
    sql`SELECT id, account_id FROM users WHERE email = ${email} AND id <> ${except}`,
  );
  const isOurs = holder?.account_id === ctx.viewer.accountId;
  if (holder) faults.addTaken('email', isOurs ? { user_id: holder.id } : undefined);
}

/** Rethrows the error of a write; that the e-mail address is taken becomes a fault. */
export const refusingTaken =
  (ctx: UnitOfWork, email: string | undefined, except?: number) =>
  async (error: unknown): Promise<never> => {
    if (!isBroken('unique')(error)) throw error;
    const faults = new Faults();
    // A transaction that failed answers nothing more.
    await reportTaken(ctx, email, faults, except).catch(() => undefined);
    // The holder is left out also where it is gone by now.
    if (!faults.any) faults.addTaken('email', undefined);
    throw faults.fault();
  };
