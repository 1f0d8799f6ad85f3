/** What PostgreSQL should know of a search to answer it fast: nothing here changes what is found. */
import type { Shape } from '../db/shape.ts';
import { empty, type Sql, sql } from '../db/sql.ts';
import type { Attribute, Condition, Group } from './search.ts';
import { isFar, onlyValue } from './told.ts';

/** Whether a record takes more to decide than a look at its own row's plain columns. */
export function isCostly(where: Group, { told = {} }: Shape): boolean {
  const isKnown = ({ column }: Attribute) => {
    const by = told[column];
    return by === undefined || onlyValue(where, by.key) !== undefined;
  };
  return isSome(
    where,
    ({ predicate }, attribute, values) =>
      predicate.trigrams !== undefined ||
      !isOwn(attribute) ||
      attribute.key !== undefined ||
      (!isKnown(attribute) && isFar(predicate, values)),
  );
}

/**
 * Keeps PostgreSQL, of a statement that stays prepared, from one plan for all values: a plan for any
 * part of a text would look for what all rows hold as it looks for what few do. Such a plan seems
 * to cost beyond everything with this, of which nothing is left in a plan for the values at hand.
 * Empty where one plan serves whatever the values are, because it reads the same rows for any.
 */
export const plannedForItsValues = (where: Group): Sql =>
  isSome(
    where,
    ({ predicate }, attribute, values) =>
      !isOwn(attribute) || predicate.trigrams?.help(values) === true,
  )
    ? sql`AND (${true}::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) > 0)`
    : empty;

/** Whether something is true of a condition on an attribute, wherever it stands. */
function isSome(
  { conditions, groups }: Group,
  is: (condition: Condition, attribute: Attribute, values: Condition['values'][number]) => boolean,
): boolean {
  return (
    groups.some((group) => isSome(group, is)) ||
    conditions.some((condition) =>
      condition.attributes.some((attribute, at) =>
        is(condition, attribute, condition.values[at] ?? []),
      ),
    )
  );
}

const isOwn = ({ path, kind }: Attribute): boolean => path.length === 0 && kind !== 'labels';

/**
 * What follows of all the texts of a record together when one of several attributes contains a
 * part: one index says so, instead of one for each attribute.
 * @param owner what the attributes belong to
 * @returns the columns of these texts
 */
export function textsTogether(
  { attributes: [first, ...others], predicate, values: [values = []] }: Condition,
  { texts = [] }: Shape,
): readonly string[] | undefined {
  if (!first || others.length === 0 || !predicate.trigrams?.findWithin(values)) {
    return undefined;
  }
  const path = first.path.join();
  const isAmong = ({ path: its, column }: Attribute) =>
    its.join() === path && texts.includes(column);
  return isAmong(first) && others.every(isAmong) ? texts : undefined;
}
