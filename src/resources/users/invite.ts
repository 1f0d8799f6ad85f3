import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { type RecordResult, valuesOf } from '../kernel/read/record_result.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { insertChecked } from './create.ts';
import { refusingTaken, reportTaken } from './email.ts';
import { invited, requireCredentials } from './record.ts';
import { createSignInLink, invitationMinutes, type Link, linkWith } from './sign_in_link.ts';

/**
 * Creates a user without a password, and the link with which they set one.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field, or an e-mail
 *   in use in any account
 */
export async function inviteUser(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<{ readonly user: RecordResult; readonly link: Link }> {
  authorize(ctx.viewer, account, 'user.create');
  refuseDryRun(ctx);
  const faults = faultsOf(ctx);
  const fields = readFields(input, invited, faults);
  requireCredentials(input, fields, faults, ['email']);
  if (faults.any) await reportTaken(ctx, fields.email, faults);
  faults.throwIfAny();
  const withId = { ...selection, fields: [...selection.fields, 'id'] };
  return inTransaction(ctx, async (tx) => {
    const user = await insertChecked(tx, fields, '', withId);
    const link = await createSignInLink(tx, Number(valuesOf(user).id), invitationMinutes);
    return { user, link: linkWith(ctx.origin, link) };
  }).catch(refusingTaken(ctx, fields.email));
}
