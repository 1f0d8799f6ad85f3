import { authorize, readScopesOf, requireScopes } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { coded } from '../../errors/codes.ts';
import { Faults } from '../../errors/errors.ts';
import type { DealGroup, QueryDeals_SummaryArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { shapes } from '../shapes.ts';
import { type GroupRow, groupOf } from './deal_group.ts';
import { groupingsOf, isPeriodic } from './groupings.ts';
import { readDealQuery } from './query.ts';
import { readSpan } from './span.ts';
import { summaryStatement } from './summary_statement.ts';

const maxGroups = 10_000;

/**
 * Counts and sums the deals that match, by what they have in common, in one statement.
 * @param measures names of the figures that are shown, among others
 * @returns a group for each combination that occurs, in the order of `group_by` unless sorted;
 *   without any grouping, one group of all
 * @throws {Fault} INVALID_SEARCH, also for more than 10,000 groups; VALIDATION_FAILED for a sum that
 *   is beyond 2^53-1
 */
export async function summariseDeals(
  ctx: Context,
  account: unknown,
  {
    query,
    group_by,
    fill,
    sort,
    ascending,
    limit,
    ...given
  }: Omit<QueryDeals_SummaryArgs, 'account_id'>,
  measures: ReadonlySet<string>,
): Promise<DealGroup[]> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  const groupings = groupingsOf(group_by);
  requireScopes(ctx.viewer, readScopesOf(groupings.flatMap(({ touches }) => touches ?? [])));
  const faults = new Faults('INVALID_SEARCH');
  const search = readDealQuery(ctx, query, faults);
  const request = {
    accountId,
    groupings,
    span: readSpan(given, accountId, faults),
    fill,
    measures,
    sort: sort ? { by: sort, ascending } : undefined,
    limit: readLimit('limit', limit, maxGroups, faults),
    most: maxGroups,
  };
  if (fill && groupings.filter(isPeriodic).length !== 1) {
    faults.add(
      'fill',
      'needs one of DAY, WEEK, MONTH, QUARTER and YEAR in group_by, and one alone',
    );
  }
  faults.throwIfAny();
  const where = compileWhere(search, 'r', shapes, accountId);
  const read = await readAnswer<GroupRow[], { rest: string | null; found: number }>(ctx, {
    query: () => summaryStatement({ ...request, where }),
    text: 'groups',
    others: ['rest', 'found'],
  }).catch(refusingZone(faults));
  if (!read) throw new Error('a summary has one row');
  const { rest, found } = read.row;
  if (found > maxGroups && (fill || request.limit === undefined)) {
    const message = `makes more than ${maxGroups} groups: group by less, or narrow the query`;
    faults.add(fill ? 'fill' : 'group_by', coded('too_many', message));
    faults.throwIfAny();
  }
  const groups = read.value.map((row) => groupOf(row, false));
  return rest === null ? groups : [...groups, groupOf(JSON.parse(rest), true)];
}
