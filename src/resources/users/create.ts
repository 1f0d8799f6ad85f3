import { authorize } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { writeRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { withDefaults } from '../kernel/resource.ts';
import { insertion } from '../kernel/write/insert.ts';
import type { Create } from '../kernel/write/write.ts';
import { refusingTaken, reportTaken } from './email.ts';
import { hashFor } from './password.ts';
import { requireCredentials, type UserFields, users } from './record.ts';

const insert = insertion(users, { password_hash: 'secret.hash' }, 'secret');

/**
 * Creates a user of the account: a member unless another role is sent.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field, passwords
 *   that differ, an e-mail in use in any account
 */
export const createUser: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'user.create');
  refuseDryRun(ctx);
  return insertUser(ctx, input, selection);
};

/** The same without authorisation: for operators. */
export async function insertUser(
  ctx: UnitOfWork,
  input: Input,
  selection: Selection,
): Promise<RecordResult> {
  const faults = faultsOf(ctx);
  const fields = readFields(input, users.fields, faults);
  requireCredentials(input, fields, faults);
  if (faults.any) await reportTaken(ctx, fields.email, faults);
  faults.throwIfAny();
  const hash = await hashFor(ctx, fields.password ?? '');
  const attempt = () => insertChecked(ctx, fields, hash, selection);
  return retryConflicts(attempt).catch(refusingTaken(ctx, fields.email));
}

/**
 * Inserts a user whose fields are in order.
 * @param hash of the password; empty for a user without one
 * @throws {DatabaseError} when the e-mail address is taken
 */
export async function insertChecked(
  ctx: UnitOfWork,
  fields: UserFields,
  hash: string,
  selection: Selection,
): Promise<RecordResult> {
  const after = withDefaults(users, fields);
  const written = await writeRecord(
    ctx,
    'users',
    selection,
    sql`secret AS (SELECT ${hash}::text AS hash), written AS (${insert(ctx, after)}),
      audit AS (${auditEntries(ctx, creationOf(users, 'written'))})`,
  );
  if (!written) throw new Error('the inserted user was not returned');
  return written;
}
