import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import type { Faults } from '../../errors/errors.ts';
import { changesBetween } from '../audit/changes.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { requireExpected } from '../kernel/write/version.ts';
import { versionedAccountColumns } from './get.ts';
import { type AccountFields, accountFields } from './record.ts';

/**
 * Changes the fields sent of the viewer's account.
 * @throws {Fault} NOT_FOUND for any other; FORBIDDEN for all but admins; VALIDATION_FAILED
 */
export async function updateAccount(
  ctx: Context,
  account: unknown,
  input: Input,
): Promise<RecordValues> {
  authorize(ctx.viewer, account, 'account.update');
  const faults = faultsOf(ctx);
  const fields = readFields(input, accountFields, faults);
  const changing = inTransaction(ctx, (tx) => changeAccount(tx, fields, faults));
  const changed = await changing.catch(refusingZone(faults));
  if (fields.default_country !== undefined) ctx.viewers.forget(ctx.viewer.accountId);
  return changed;
}

/** Changes the fields sent of the account at hand, whoever asks. */
export async function changeAccount(
  ctx: UnitOfWork,
  fields: AccountFields,
  faults: Faults,
): Promise<RecordValues> {
  const id = ctx.viewer.accountId;
  // The last column asks PostgreSQL whether it knows the zone.
  const [before] = await ctx.db.query<Required<AccountFields> & { readonly version: string }>(
    sql`SELECT ${versionedAccountColumns}, now() AT TIME ZONE ${fields.time_zone ?? 'UTC'} AS local
        FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`,
  );
  if (!before) throw new Error('a user has no account');
  requireExpected(ctx, before.version);
  faults.throwIfAny();
  const { name, default_country, time_zone, currency } = before;
  const after = { name, default_country, time_zone, currency, ...fields };
  const changes = changesBetween<typeof after>(before, after);
  if (!changes) return { ...before };
  const [written] = await ctx.db.query<RecordValues>(
    sql`WITH written AS (
        UPDATE accounts SET name = ${after.name}, default_country = ${after.default_country},
          time_zone = ${after.time_zone}, currency = ${after.currency}, updated_at = moment()
        WHERE id = ${id} RETURNING *, xmin
      ), audit AS (${auditEntries(ctx, entriesOf('account.update', 'written', changes))})
      SELECT ${versionedAccountColumns} FROM written`,
  );
  if (!written) throw new Error('a locked account is gone');
  return written;
}
