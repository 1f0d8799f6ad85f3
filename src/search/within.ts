/** Searches within the lists of records. */
import type { Association, ListFilter, Shapes } from '../db/sql/shape.ts';
import { accountParameter, sql } from '../db/sql/sql.ts';
import { compileWhere } from './compile.ts';
import { compileOrder, orderBy } from './order.ts';
import { plannedForItsValues } from './plan.ts';
import type { Group, Search } from './search.ts';

/**
 * A search among the records that an association leads to.
 * @returns what finds them, and their order if the search has one
 */
export function filterOf(search: Search, association: Association, shapes: Shapes): ListFilter {
  const { where, sorts, shape } = search;
  const { computed = {} } = shapes[shape];
  // All rows of such a list have the same source row: the record that the list belongs to.
  const ofOne = Object.values(computed).every(({ key }) => key in association.on);
  return {
    where: (alias) =>
      sql`${compileWhere(search, alias, shapes, accountParameter)} ${plannedForItsValues(where)}`,
    ...(sorts.length > 0 && {
      order: (alias) => {
        const { joins, keys } = compileOrder(search, alias, shapes, accountParameter, ofOne);
        return { joins, by: orderBy(keys) };
      },
    }),
  };
}

/** How many attributes a search asks about. */
export const conditionsIn = ({ conditions, groups }: Group): number =>
  [...conditions.map(({ attributes }) => attributes.length), ...groups.map(conditionsIn)].reduce(
    (sum, one) => sum + one,
    0,
  );
