import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';

/** What an account shows. */
export const accountColumns = raw(
  'id, name, default_country, time_zone, currency, created_at, updated_at',
);

/** The same with its version. */
export const versionedAccountColumns = sql`${accountColumns}, md5(ROW(name, default_country, time_zone, currency, updated_at)::text) AS version`;

/**
 * The viewer's account.
 * @throws {Fault} NOT_FOUND for any other
 */
export async function getAccount(ctx: Context, account: unknown): Promise<RecordValues> {
  const id = authorize(ctx.viewer, account, 'account.read');
  const [row] = await ctx.db.query<RecordValues>(
    sql`SELECT ${versionedAccountColumns} FROM accounts WHERE id = ${id}`,
    { shares: true },
  );
  if (!row) throw notFound();
  return row;
}
