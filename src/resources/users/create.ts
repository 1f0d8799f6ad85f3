import { hashPassword } from '../../auth/passwords.ts';
import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { type Stored, type Working, writeRecord } from '../record.ts';
import { requireCredentials, userFields } from './fields.ts';

/**
 * Creates a member of the account.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field, passwords
 *   that differ, an e-mail in use in any account
 */
export async function createUser(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'user.create');
  return insertUser(ctx, input, 'member', selection);
}

/** The same with a role of choice, for whoever needs no viewer's leave. */
export async function insertUser(
  ctx: Working,
  input: Input,
  role: 'admin' | 'member',
  selection: Selection,
): Promise<Stored> {
  const faults = new Faults();
  const sent = readFields(input, userFields, faults);
  requireCredentials(input, sent, faults);
  if (faults.any) await reportTaken(ctx, sent.email, faults);
  faults.throwIfAny();
  const { password = '', password_confirmation: _, ...profile } = sent;
  const user = {
    email: '',
    full_name: '',
    phone: null,
    language: 'en',
    avatar_url: '',
    job_description: 'other',
    webpush_notify_on_event_expired: false,
    ...profile,
    role,
  };
  const now = ctx.now.toISOString();
  const hash = await hashPassword(password);
  const written = await writeRecord(
    ctx,
    'users',
    selection,
    sql`written AS (
      INSERT INTO users (account_id, email, password_hash, role, full_name, phone, language, avatar_url, job_description,
        webpush_notify_on_event_expired, created_at, updated_at)
      VALUES (${ctx.viewer.accountId}, ${user.email}, ${hash}, ${role}, ${user.full_name}, ${user.phone},
        ${user.language}, ${user.avatar_url}, ${user.job_description}, ${user.webpush_notify_on_event_expired},
        ${now}::timestamptz, ${now}::timestamptz)
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'user.create', 'written', { before: null, after: user })})`,
  ).catch((error: unknown) => {
    if (isBroken('unique')(error)) faults.add('email', 'has already been taken');
    faults.throwIfAny();
    throw error;
  });
  if (!written) throw new Error('the inserted user was not returned');
  return written;
}

/** E-mail addresses are unique over all accounts: they are what a user signs in with. */
export async function reportTaken(
  ctx: Working,
  email: string | undefined,
  faults: Faults,
  except = 0,
): Promise<void> {
  if (!email) return;
  const found = await ctx.db.query(
    sql`SELECT FROM users WHERE email = ${email} AND id <> ${except}`,
    { named: true },
  );
  if (found.length > 0) faults.add('email', 'has already been taken');
}
