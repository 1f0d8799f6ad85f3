import { hashPassword } from '../../auth/passwords.ts';
import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, type Changes, changesBetween } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { getRecord, type Stored, type Working, writeRecord } from '../record.ts';
import { requireAnotherAdmin } from './admins.ts';
import { reportTaken } from './create.ts';
import { requireConfirmation, type UserChangeSent, userChangeFields } from './fields.ts';

/**
 * Changes the fields sent of a user. Its tokens stay valid, whatever changes.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED for an invalid field,
 *   passwords that differ, an e-mail in use, or the last admin's role
 */
export async function updateUser(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'user.update');
  const userId = readId(id);
  const faults = new Faults();
  const sent = readFields(input, userChangeFields, faults);
  requireConfirmation(input, sent, faults);
  const seen = await currentUser(ctx, userId);
  if (!seen) throw notFound();
  if (faults.any) await reportTaken(ctx, sent.email, faults, userId);
  const hash = sent.password && !faults.any ? await hashPassword(sent.password) : undefined;
  const attempt =
    sent.role === 'member'
      ? () =>
          ctx.db.transaction((db) => demote({ ...ctx, db }, userId, sent, hash, faults, selection))
      : () => change(ctx, userId, sent, hash, faults, selection);
  return retrying(attempt).catch((error: unknown) => {
    if (isBroken('unique')(error)) faults.add('email', 'has already been taken');
    faults.throwIfAny();
    throw error;
  });
}

async function demote(
  ctx: Working,
  id: number,
  sent: UserChangeSent,
  hash: string | undefined,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  await requireAnotherAdmin(ctx, id, faults, 'must be admin: the account has no other');
  return change(ctx, id, sent, hash, faults, selection);
}

interface CurrentUser {
  readonly email: string;
  readonly role: string;
  readonly full_name: string;
  readonly phone: string | null;
  readonly language: string;
  readonly avatar_url: string;
  readonly job_description: string;
  readonly webpush_notify_on_event_expired: boolean;
  readonly version: string;
}

async function currentUser(ctx: Working, id: number): Promise<CurrentUser | undefined> {
  const [row] = await ctx.db.query<CurrentUser>(
    sql`SELECT email, role, full_name, phone, language, avatar_url, job_description,
          webpush_notify_on_event_expired, xmin::text AS version
        FROM users WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  return row;
}

async function change(
  ctx: Working,
  id: number,
  sent: UserChangeSent,
  hash: string | undefined,
  faults: Faults,
  selection: Selection,
): Promise<Stored> {
  const before = await currentUser(ctx, id);
  if (!before) throw notFound();
  faults.throwIfAny();
  const { password: _, password_confirmation: __, ...profile } = sent;
  const after = { ...before, ...profile };
  const changes = withPassword(changesBetween(before, after), hash);
  if (!changes) return getRecord(ctx, 'users', id, selection);
  const written = await writeRecord(
    ctx,
    'users',
    selection,
    sql`written AS (
      UPDATE users SET email = ${after.email}, role = ${after.role}, full_name = ${after.full_name},
        phone = ${after.phone}, language = ${after.language}, avatar_url = ${after.avatar_url},
        job_description = ${after.job_description},
        webpush_notify_on_event_expired = ${after.webpush_notify_on_event_expired},
        password_hash = coalesce(${hash ?? null}, password_hash),
        updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} AND xmin = ${before.version}::xid
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'user.update', 'written', changes)})`,
  );
  if (!written) throw conflict();
  return written;
}

/** A new password leaves a trace in the audit trail, and nothing of itself. */
function withPassword(changes: Changes | undefined, hash: string | undefined): Changes | undefined {
  if (hash === undefined) return changes;
  return {
    before: changes?.before ?? {},
    after: { ...changes?.after, password_changed: true },
  };
}
