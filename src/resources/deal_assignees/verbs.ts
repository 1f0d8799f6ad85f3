import { authorize } from '../../auth/policy.ts';
import { faultsOf } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { readNew } from '../kernel/fields/input.ts';
import { writeRecord } from '../kernel/read/record.ts';
import { withDefaults } from '../kernel/resource.ts';
import { insertion } from '../kernel/write/insert.ts';
import { type Create, deleting } from '../kernel/write/write.ts';
import { deal_assignees } from './record.ts';

const insert = insertion(
  deal_assignees,
  { deal_id: 'found.deal_id', user_id: 'found.user_id' },
  'found',
);

/**
 * Assigns a user to a deal.
 * @throws {Fault} VALIDATION_FAILED for a missing id, or a user who is assigned already; NOT_FOUND
 *   when the account has no such deal or user
 */
export const addAssignee: Create = async (ctx, account, input, selection) => {
  const accountId = authorize(ctx.viewer, account, 'deal_assignee.create');
  const faults = faultsOf(ctx);
  const fields = readNew(input, deal_assignees.fields, faults);
  faults.throwIfAny();
  const after = withDefaults(deal_assignees, fields);
  const { deal_id, user_id } = after;
  const steps = sql`found AS (
      SELECT d.id AS deal_id, u.id AS user_id FROM deals AS d, users AS u
      WHERE d.account_id = ${accountId} AND d.id = ${deal_id} AND u.account_id = ${accountId} AND u.id = ${user_id}
    ), written AS (${insert(ctx, after)}),
    audit AS (${auditEntries(ctx, creationOf(deal_assignees, 'written'))})`;
  const write = () => writeRecord(ctx, 'deal_assignees', selection, steps);
  const written = await retryConflicts(write, isBroken('foreign_key')).catch(
    async (error: unknown) => {
      if (!isBroken('unique')(error)) throw error;
      const [holder] = await ctx.db.query<{ id: number }>(
        sql`SELECT id FROM deal_assignees
        WHERE account_id = ${accountId} AND deal_id = ${deal_id} AND user_id = ${user_id}`,
      );
      faults.addTaken('user_id', holder && { deal_assignee_id: holder.id });
      throw faults.fault();
    },
  );
  if (!written) throw notFound();
  return written;
};

/** Takes a user off a deal, by the id of the assignment. */
export const removeAssignee = deleting(deal_assignees);
