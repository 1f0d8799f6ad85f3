import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields, reference } from '../fields.ts';
import { type Stored, writeRecord } from '../record.ts';

const assigneeFields = { deal_id: reference, user_id: reference };

/**
 * Assigns a user to a deal.
 * @throws {Fault} VALIDATION_FAILED for a missing id, or a user who is assigned already; NOT_FOUND
 *   when the account has no such deal or user
 */
export async function addAssignee(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  const accountId = authorize(ctx.viewer, account, 'deal_assignee.create');
  const faults = new Faults();
  const { deal_id, user_id } = readFields(input, assigneeFields, faults);
  if (deal_id === undefined && !faults.has('deal_id')) faults.add('deal_id', 'must exist');
  if (user_id === undefined && !faults.has('user_id')) faults.add('user_id', 'must exist');
  faults.throwIfAny();
  const now = ctx.now.toISOString();
  const after = { deal_id, user_id };
  const written = await retrying(
    () =>
      writeRecord(
        ctx,
        'deal_assignees',
        selection,
        sql`written AS (
          INSERT INTO deal_assignees (account_id, deal_id, user_id, created_at, updated_at)
          SELECT ${accountId}::bigint, d.id, u.id, ${now}::timestamptz, ${now}::timestamptz
          FROM deals AS d, users AS u
          WHERE d.account_id = ${accountId} AND d.id = ${deal_id} AND u.account_id = ${accountId} AND u.id = ${user_id}
          RETURNING *
        ), audit AS (${auditEntry(ctx, 'deal_assignee.create', 'written', { before: null, after })})`,
      ),
    isBroken('foreign_key'),
  ).catch((error: unknown) => {
    if (isBroken('unique')(error)) faults.add('user_id', 'has already been taken');
    faults.throwIfAny();
    throw error;
  });
  if (!written) throw notFound();
  return written;
}
