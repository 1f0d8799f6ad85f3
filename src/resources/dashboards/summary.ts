import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { Fault, Faults } from '../../errors.ts';
import { compileSearch } from '../../search/compile.ts';
import { shapes } from '../shapes.ts';
import { requireExact } from './exact.ts';
import { type GroupingName, type Moment, summaryStatement } from './groupings.ts';
import { readDealQuery } from './query.ts';

/** Deals that have something in common, and what they come to; amounts in cents. */
export interface DealGroup {
  readonly status: string | null;
  readonly pipeline_id: number | null;
  readonly pipeline_name: string | null;
  readonly stage_id: number | null;
  readonly stage_name: string | null;
  readonly owner_id: number | null;
  readonly owner_name: string | null;
  readonly product_id: number | null;
  readonly product_name: string | null;
  readonly month: string | null;
  readonly week: string | null;
  readonly day: string | null;
  readonly count: number;
  readonly sum_in_cents: number;
  readonly average_in_cents: number | null;
  readonly won_rate: number | null;
}

export interface SummaryArguments {
  readonly query?: unknown;
  readonly group_by: readonly GroupingName[];
  readonly on: Moment;
}

type GroupRow = Partial<DealGroup> & {
  readonly count: number;
  readonly sum: string;
  readonly won: number;
  readonly lost: number;
};

const mostGroups = 10_000;

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
 * Counts and sums the deals that match, by what they have in common, in one statement.
 * @returns a group for each combination that occurs, in the order of `group_by`; without any, one
 *   group of all
 * @throws {Fault} INVALID_SEARCH; VALIDATION_FAILED for more than 10,000 groups, or a sum that is
 *   beyond 2^53-1
 */
export async function summariseDeals(
  ctx: Context,
  account: unknown,
  { query, group_by, on }: SummaryArguments,
): Promise<DealGroup[]> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  const faults = new Faults('INVALID_SEARCH');
  const search = readDealQuery(query, faults);
  faults.throwIfAny();
  if (!search) throw new Error('a search was refused for no reason');
  const { where } = compileSearch(search, 'r', shapes, accountId);
  const groupBy = [...new Set(group_by)];
  const rows = await ctx.db.query<GroupRow>(
    summaryStatement({ accountId, where, groupBy, on, limit: mostGroups + 1 }),
  );
  if (rows.length > mostGroups) {
    throw new Fault('VALIDATION_FAILED', [
      `There are more than ${mostGroups} groups: group by less, or narrow the query`,
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
