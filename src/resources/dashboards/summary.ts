import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { Fault, Faults } from '../../errors.ts';
import type { DealGroup, QueryDeals_SummaryArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { shapes } from '../shapes.ts';
import { summaryStatement } from './groupings.ts';
import { readDealQuery, requireExact } from './query.ts';

type GroupRow = Partial<DealGroup> & {
  readonly count: number;
  readonly sum: string;
  readonly won: number;
  readonly lost: number;
};

const maxGroups = 10_000;

const ungrouped = {
  status: null,
  pipeline_id: null,
  pipeline_name: null,
  stage_id: null,
  stage_name: null,
  owner_id: null,
  owner_name: null,
  product_id: null,
  product_name: null,
  month: null,
  week: null,
  day: null,
};

/**
 * Counts and sums the deals that match, grouped by what they have in common, in one statement.
 * @returns a group for each combination that occurs, in the order of `group_by`; a single group of
 *   all deals when that is empty
 * @throws {Fault} INVALID_SEARCH; VALIDATION_FAILED for more than 10,000 groups, or a sum beyond
 *   2^53-1
 */
export async function summariseDeals(
  ctx: Context,
  account: unknown,
  { query, group_by, on }: Omit<QueryDeals_SummaryArgs, 'account_id'>,
): Promise<DealGroup[]> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  const faults = new Faults('INVALID_SEARCH');
  const search = readDealQuery(query, faults);
  faults.throwIfAny();
  const where = compileWhere(search, 'r', shapes, accountId);
  const groupBy = [...new Set(group_by)];
  const rows = await ctx.db.query<GroupRow>(
    summaryStatement({ accountId, where, groupBy, on, limit: maxGroups + 1 }),
  );
  if (rows.length > maxGroups) {
    throw new Fault('VALIDATION_FAILED', [
      `There are more than ${maxGroups} groups: group by less, or narrow the query`,
    ]);
  }
  return rows.map(group);
}

function group({ sum, won, lost, ...row }: GroupRow): DealGroup {
  const total = Number(sum);
  requireExact(total);
  return {
    ...ungrouped,
    ...row,
    sum_in_cents: total,
    average_in_cents: row.count === 0 ? null : Math.round(total / row.count),
    won_rate: won + lost === 0 ? null : won / (won + lost),
  };
}
