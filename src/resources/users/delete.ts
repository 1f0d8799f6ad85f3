import { authorize, readId } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { mustExist } from '../../errors/codes.ts';
import { type Faults, notFound } from '../../errors/errors.ts';
import { auditEntries, removalOf } from '../audit/entry.ts';
import { optionalReference } from '../kernel/fields/fields.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { requireRecord } from '../kernel/read/record.ts';
import { removal } from '../kernel/write/removal.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { lockExpected } from '../kernel/write/version.ts';
import { refusing } from '../kernel/write/write.ts';
import { endSessions } from '../sessions/end.ts';
import { api_tokens } from '../tokens/record.ts';
import { isOnlyAdmin } from './admins.ts';
import { handOver } from './hand_over.ts';
import { passwordEntry } from './password.ts';
import { users } from './record.ts';
import { linksEnded } from './sign_in_link.ts';

/** What may be said of a removal. */
const fields = { reassign_to: optionalReference };

/**
 * Removes a user. What lets them in ends first: tokens, sessions, a link, the password. The deals
 * they created, their assignments and webhooks go to the user whom `reassign_to` names; without one
 * deals and webhooks stay without anybody, and the assignments end. These come next, in batches;
 * until that is done the user is still listed, and a call that is interrupted can simply be
 * repeated.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE for a token with `reassign_to`
 *   that may not write deals; NOT_FOUND; VALIDATION_FAILED for the last admin, and for a
 *   `reassign_to` that is the user or no user of the account
 */
export async function deleteUser(
  ctx: Context,
  account: unknown,
  user: unknown,
  input: Input = {},
): Promise<{ id: number }> {
  const accountId = authorize(ctx.viewer, account, 'user.delete');
  if (input.reassign_to !== undefined && input.reassign_to !== null) {
    authorize(ctx.viewer, account, 'deal.update');
  }
  const id = readId(user);
  const faults = faultsOf(ctx);
  const { reassign_to: to = null } = readFields(input, fields, faults);
  if (to === id) faults.add('reassign_to', 'must be another user');
  else if (to !== null && !(await exists(ctx, to))) faults.add('reassign_to', mustExist);
  await inTransaction(ctx, (tx) => lockOut(tx, id, faults));
  ctx.viewers.forget(accountId, id);
  // Somebody was assigned meanwhile: the new user to one of the deals, or the old one to another deal.
  const isAssigned = (error: unknown) =>
    isBroken('unique')(error) || isBroken('foreign_key')(error);
  const toNobody = refusing('foreign_key', 'reassign_to', mustExist);
  try {
    while (await retryConflicts(() => handOver(ctx, id, to, 'some'), isAssigned));
    return await inTransaction(ctx, (tx) => remove(tx, id, to), isAssigned);
  } catch (error) {
    // The user who was to get the deals has been removed meanwhile, too.
    return toNobody(error);
  }
}

async function exists(ctx: UnitOfWork, id: number): Promise<boolean> {
  const rows = await ctx.db.query(
    sql`SELECT FROM users WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
  );
  return rows.length > 0;
}

async function lockOut(ctx: UnitOfWork, id: number, faults: Faults): Promise<void> {
  await addOnlyAdmin(ctx, id, faults);
  await lockExpected(ctx, users, id);
  if (faults.any) await requireRecord(ctx, 'users', id);
  faults.throwIfAny();
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`WITH tokens AS (
          DELETE FROM api_tokens WHERE account_id = ${accountId} AND user_id = ${id} RETURNING *
        ), ended_links AS (
          DELETE FROM sign_in_codes WHERE account_id = ${accountId} AND user_id = ${id} RETURNING *
        ), shut AS (
          UPDATE users SET password_hash = '', updated_at = moment()
          WHERE account_id = ${accountId} AND id = ${id} AND password_hash <> '' RETURNING *
        ) ${auditEntries(ctx, removalOf(api_tokens, 'tokens'), linksEnded, passwordEntry('shut'))}`,
  );
  await endSessions(ctx, sql`sessions.user_id = ${id}`);
}

async function addOnlyAdmin(ctx: UnitOfWork, id: number, faults: Faults): Promise<void> {
  if (await isOnlyAdmin(ctx, id)) faults.add('role', 'is admin, and the account has no other');
}

async function remove(ctx: UnitOfWork, id: number, to: number | null): Promise<{ id: number }> {
  const { accountId } = ctx.viewer;
  const faults = faultsOf(ctx);
  await addOnlyAdmin(ctx, id, faults);
  faults.throwIfAny();
  // A deal being created by this user waits for this lock, and then finds the user gone.
  await ctx.db.query(
    sql`SELECT FROM users WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`,
  );
  await handOver(ctx, id, to, 'all');
  const { steps, entries } = removal(ctx, 'users', sql`id = ${id}`);
  const [gone] = await ctx.db.query<{ id: number }>(
    sql`WITH ${steps}, audit AS (${auditEntries(ctx, ...entries)}) SELECT id FROM gone`,
  );
  if (!gone) throw notFound();
  return { id: gone.id };
}
