/** What helps PostgreSQL to answer a search fast. Nothing here changes what is found. */
import type { Shape, Shapes } from '../db/sql/shape.ts';
import { empty, type Sql, sql } from '../db/sql/sql.ts';
import { isFar, onlyValue } from './computed_column.ts';
import { fold } from './fold.ts';
import type { Attribute, Condition, Group, Search } from './search.ts';
import { isIndexed } from './word_search.ts';

/** Whether deciding about a record, or where it stands, takes more than the columns of its own row. */
export function isCostly({ shape, where, sorts }: Search, shapes: Shapes): boolean {
  const { derived = {} } = shapes[shape];
  const isElsewhere = ({ path, column }: Attribute) =>
    path.length === 0 && (derived[column]?.from.length ?? 0) > 0;
  return (
    sorts.some(({ attribute }) => isElsewhere(attribute)) ||
    isSome(
      where,
      ({ predicate }, attribute) =>
        predicate.trigrams !== undefined ||
        !isOwn(attribute) ||
        attribute.key !== undefined ||
        isElsewhere(attribute),
    )
  );
}

/** Whether rows are found source row by source row, rather than in the order of a page. */
export const findsBySources = (where: Group, { computed = {} }: Shape): boolean =>
  isSome(where, ({ predicate }, { column }, values) => {
    const by = computed[column];
    return by !== undefined && onlyValue(where, by.key) === undefined && isFar(predicate, values);
  });

/**
 * Keeps PostgreSQL from using a generic plan for a prepared statement. A generic plan would look for
 * a text that is in every row as for one that is in few. This term makes a generic plan look
 * prohibitively expensive, and disappears from a plan for the values at hand. It is empty where a
 * generic plan is as good, because the same rows are read for any values, or because few rows have
 * the text: planning takes as long as to look it up.
 * @param isRare whether few records are known to have {@link soleText}
 */
export const plannedForItsValues = (where: Group, isRare = false): Sql =>
  !isRare &&
  isSome(
    where,
    ({ predicate }, attribute, values) =>
      !isOwn(attribute) || predicate.trigrams?.help(values) === true,
  )
    ? sql`AND (${true}::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) > 0)`
    : empty;

/** The only condition of a search where it looks for a text in one column of the records themselves. */
export function soleText({ conditions, groups }: Group): Condition | undefined {
  const [condition, ...others] = conditions;
  if (!condition || others.length > 0 || groups.length > 0) return undefined;
  const [attribute, ...further] = condition.attributes;
  if (!attribute || further.length > 0 || attribute.key !== undefined || !isOwn(attribute)) {
    return undefined;
  }
  const { predicate, values } = condition;
  return predicate.trigrams?.findWithin(values[0] ?? []) ? condition : undefined;
}

/** Whether something is true of any condition on an attribute, at any level. */
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
 * Finds what the folded text of a record has when a condition looks for a value in several of its texts: one
 * index look-up then replaces one for each attribute.
 * @returns the values, folded; undefined when that does not apply
 */
export function foldedTogether(
  { attributes: [first, ...others], predicate, values: [values = []] }: Condition,
  { foundBy = [] }: Shape,
): readonly string[] | undefined {
  if (!first || others.length === 0 || !predicate.trigrams?.findWithin(values)) {
    return undefined;
  }
  const path = first.path.join();
  const isAmong = ({ path: its, column }: Attribute) =>
    its.join() === path && foundBy.includes(column);
  if (!isAmong(first) || !others.every(isAmong)) return undefined;
  const folded = values.map((value) => fold(String(value)));
  return folded.every(isIndexed) ? folded : undefined;
}
