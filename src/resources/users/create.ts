import { hashPassword } from '../../auth/passwords.ts';
import { authorize } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields } from '../kernel/input.ts';
import { insertion } from '../kernel/insert.ts';
import { type Stored, writeRecord } from '../kernel/record.ts';
import { complete } from '../kernel/resource.ts';
import { type Create, refusing } from '../kernel/write.ts';
import { reportTaken, taken } from './email.ts';
import { requireCredentials, users } from './record.ts';

const { role: _, ...fields } = users.fields;

const insert = insertion(users, { password_hash: 'secret.hash' }, 'secret');

/**
 * Creates a member of the account.
 * @throws {Fault} FORBIDDEN for all but admins; VALIDATION_FAILED for an invalid field, passwords
 *   that differ, an e-mail in use in any account
 */
export const createUser: Create = async (ctx, account, input, selection) => {
  authorize(ctx.viewer, account, 'user.create');
  return insertUser(ctx, input, 'member', selection);
};

/** The same with any role and without authorisation: for operators. */
export async function insertUser(
  ctx: UnitOfWork,
  input: Input,
  role: 'admin' | 'member',
  selection: Selection,
): Promise<Stored> {
  const faults = new Faults();
  const sent = readFields(input, fields, faults);
  requireCredentials(input, sent, faults);
  if (faults.any) await reportTaken(ctx, sent.email, faults);
  faults.throwIfAny();
  const after = complete(users, sent, { role });
  const hash = await hashPassword(sent.password ?? '');
  const written = await writeRecord(
    ctx,
    'users',
    selection,
    sql`secret AS (SELECT ${hash}::text AS hash), written AS (${insert(ctx, after)}),
      audit AS (${auditEntry(ctx, 'user.create', 'written', { before: null, after })})`,
  ).catch(refusing('unique', 'email', taken));
  if (!written) throw new Error('the inserted user was not returned');
  return written;
}
