import type { Context } from '../../context/context.ts';
import { coded } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { maxGroups, type Plan, summaryStatement } from './plan.ts';

/** The groups of a plan, and that of those beyond its limit. */
interface Groups<Row> {
  readonly groups: readonly Row[];
  readonly rest: Row | undefined;
}

/**
 * Runs a plan, in one statement.
 * @param argument what to blame for too many groups
 * @throws {Fault} INVALID_SEARCH for more groups than an answer has, and an unknown zone
 */
export async function runPlan<Row>(
  ctx: Context,
  plan: Plan,
  argument: string,
  faults: Faults,
): Promise<Groups<Row>> {
  const read = await readAnswer<Row[], { rest: string | null; found: number }>(ctx, {
    query: () => summaryStatement(plan),
    text: 'groups',
    others: ['rest', 'found'],
  }).catch(refusingZone(faults));
  if (!read) throw new Error('a summary has one row');
  const { rest, found } = read.row;
  if (found > maxGroups && (plan.fill || plan.limit === undefined)) {
    const message = `makes more than ${maxGroups} groups: group by less, or narrow the query`;
    faults.add(plan.fill ? 'fill' : argument, coded('too_many', message));
    faults.throwIfAny();
  }
  return { groups: read.value, rest: rest === null ? undefined : JSON.parse(rest) };
}

/** What is wrong with `fill` where it has not one kind of periods to fill. */
export const notOnePeriod = (names: string, argument: string): string =>
  `needs one of ${names} in ${argument}, and one alone`;
