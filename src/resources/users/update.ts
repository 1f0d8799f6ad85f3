import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { changesBetween } from '../audit/changes.ts';
import { readFields } from '../kernel/fields/input.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { currentOf, overwriting } from '../kernel/write/update_after_read.ts';
import { requireExpected } from '../kernel/write/version.ts';
import type { Update } from '../kernel/write/write.ts';
import { isOnlyAdmin } from './admins.ts';
import { refusingTaken, reportTaken } from './email.ts';
import { endOtherSessions, hashFor, passwordChanged } from './password.ts';
import { requireConfirmation, users } from './record.ts';
import { endingLinks, linksEnded } from './sign_in_link.ts';

const look = currentOf(users);
const current = currentOf(users, 'locked');
const overwrite = overwriting(users, 'locked');

/**
 * Updates the fields sent of a user, whose tokens stay valid. A new password ends their
 * sessions and their link, another e-mail address their link.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE where a token that may not do all sends
 *   a password, or another e-mail or role; NOT_FOUND; VALIDATION_FAILED for an invalid field, passwords that
 *   differ, an e-mail in use, or the last admin's role
 */
export const updateUser: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'user.update');
  const userId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readFields(input, users.fields, faults);
  requireConfirmation(input, fields, faults);
  if (fields.password !== undefined) authorize(ctx.viewer, account, 'user.entrust');
  const seen = await look(ctx, userId);
  if (!seen) throw notFound();
  requireExpected(ctx, seen.version);
  if (fields.password !== undefined) refuseDryRun(ctx);
  if (faults.any) await reportTaken(ctx, fields.email, faults, userId);
  const hash = fields.password && !faults.any ? await hashFor(ctx, fields.password) : undefined;
  const { password: _, password_confirmation: __, ...profile } = fields;
  const change = async (tx: UnitOfWork): Promise<RecordResult> => {
    const before = await current(tx, userId);
    if (!before) throw notFound();
    requireExpected(ctx, before.version);
    const after = { ...before, ...profile };
    // Sent back as they are they change nothing, as in a record that was fetched.
    if (after.email !== before.email || after.role !== before.role) {
      authorize(ctx.viewer, account, 'user.entrust');
    }
    faults.throwIfAny();
    const changes = changesBetween(before, after);
    const isSame = hash === undefined && after.email === before.email;
    const links = isSame ? {} : { also: endingLinks(tx, 'written'), earlier: [linksEnded] };
    if (hash === undefined) return overwrite(tx, before, after, selection, links, changes);
    const changed = {
      before: changes?.before ?? {},
      after: { ...changes?.after, ...passwordChanged },
    };
    const set = sql`password_hash = ${hash},`;
    const written = await overwrite(tx, before, after, selection, { set, ...links }, changed);
    await endOtherSessions(tx, userId);
    return written;
  };
  const demote = async (tx: UnitOfWork): Promise<RecordResult> => {
    const isOnly = await isOnlyAdmin(tx, userId);
    if (isOnly) faults.add('role', 'must be admin: the account has no other');
    return change(tx);
  };
  const changing = inTransaction(ctx, fields.role === 'member' ? demote : change);
  const changed = await changing.catch(refusingTaken(ctx, fields.email, userId));
  if (fields.role || hash !== undefined) ctx.viewers.forget(ctx.viewer.accountId, userId);
  return changed;
};
