import { authorize, readScopesOf, requireScopes } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import type { QueryDeals_SummaryArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { Joins } from '../../search/joins.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { shapes } from '../shapes.ts';
import { type DealGroupRow, groupOf } from './deal_group.ts';
import { type GroupSelections, groupingsOf, momentOf, revealedBy, sold } from './deal_groupings.ts';
import { orders, partsOf } from './deal_measures.ts';
import { isPeriodic } from './fill.ts';
import { type Input, maxGroups, type Plan } from './plan.ts';
import { readUnsortedQuery } from './query.ts';
import { notOnePeriod, runPlan } from './run.ts';
import { readSpan, spanConditions } from './span.ts';

const input = (column: string, value: string, type: string): Input => ({
  column,
  value: raw(value),
  type: raw(type),
});

/** Milliseconds from creation to the end; null for deals that are open, or had ended when they were created. */
const ms = input(
  'ms',
  `CASE WHEN coalesce(r.won_at, r.lost_at) >= r.created_at
    THEN round(date_part('epoch', coalesce(r.won_at, r.lost_at) - r.created_at) * 1000) END`,
  'float8',
);

/**
 * Counts and sums the deals that match, by what they have in common, in one statement.
 * @param measures names of the figures that are shown, among others
 * @param selected what is shown of the records that deals are grouped by
 * @returns a group for each combination that occurs, in the order of `group_by` unless sorted;
 *   without any grouping, one group of all
 * @throws {Fault} INVALID_SEARCH, also for more than 10,000 groups; VALIDATION_FAILED for a sum that
 *   is beyond 2^53-1
 */
export async function summariseDeals(
  ctx: Context,
  account: unknown,
  given: Omit<QueryDeals_SummaryArgs, 'account_id'>,
  measures: ReadonlySet<string>,
  selected: GroupSelections,
): Promise<DealGroupRow[]> {
  const { group_by, fill, sort, ascending, on } = given;
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  requireScopes(ctx.viewer, readScopesOf(revealedBy(group_by)));
  const faults = new Faults('INVALID_SEARCH');
  const search = readUnsortedQuery(ctx, given.query, 'deals', faults);
  const span = readSpan(given, accountId, faults);
  const limit = readLimit('limit', given.limit, maxGroups, faults);
  const joins = new Joins({ shape: shapes.deals, alias: 'r' }, shapes, accountId);
  const setting = { of: 'deals', accountId, joins, zone: span.zone, mayName: () => true } as const;
  const groupings = groupingsOf(group_by, on, setting, selected);
  if (fill && groupings.filter(isPeriodic).length !== 1) {
    faults.add('fill', notOnePeriod('DAY, WEEK, MONTH, QUARTER and YEAR', 'group_by'));
  }
  faults.throwIfAny();
  const needed = sort ? new Set([...measures, sort]) : measures;
  const byProduct = group_by.includes('PRODUCT');
  const isSold = byProduct || needed.has('units');
  const amount = byProduct ? 'sold.amount' : 'r.total_deal_products_amount_in_cents';
  const inputs = [
    input('amount', amount, 'bigint'),
    input('status', 'r.status', 'text'),
    ...([...needed].some((measure) => measure.endsWith('days_to_close')) ? [ms] : []),
    ...(isSold ? [input('units', 'sold.units', 'numeric')] : []),
  ];
  const plan: Plan = {
    of: 'deals',
    accountId,
    where: sql`${compileWhere(search, 'r', shapes, accountId)} ${spanConditions(span, joins.valueOf(momentOf(on)))}`,
    joins: isSold ? sql`${joins.sql} ${sold(accountId, byProduct)}` : joins.sql,
    isRepeated: false,
    groupings,
    inputs,
    apart: [],
    parts: partsOf(needed, limit !== undefined),
    fill: fill ? span : undefined,
    sort: sort ? { by: orders[sort], ascending } : undefined,
    limit,
  };
  return runPlan(ctx, plan, 'group_by', faults, groupOf);
}
