import type { Context } from '../../context/context.ts';
import { coded } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { maxGroups, type Plan, summaryStatement } from './plan.ts';

/**
 * Runs a plan, in one statement.
 * @param argument what to blame for too many groups
 * @param group a group as it is answered, by its row; the last is that of those beyond the limit
 * @throws {Fault} INVALID_SEARCH for more groups than an answer has, and an unknown zone
 */
export async function runPlan<Row, Group>(
  ctx: Context,
  plan: Plan,
  argument: string,
  faults: Faults,
  group: (row: Row, isRest: boolean) => Group,
): Promise<Group[]> {
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
  const shown = read.value.map((row) => group(row, false));
  return rest === null ? shown : [...shown, group(JSON.parse(rest), true)];
}

/** What is wrong with `fill` where it has not one kind of periods to fill. */
export const notOnePeriod = (names: string, argument: string): string =>
  `needs one of ${names} in ${argument}, and one alone`;
