/**
 * The form of a search: what its SQL depends on besides the values that it compares with. Integrations and
 * dashboards ask the same of other values, and composing a statement costs more than all else that the service
 * does for a search.
 */
import { accountParameter, type Form, marked, template } from '../db/sql/sql.ts';
import { computedPerSource, onlyValue } from './computed_column.ts';
import { findsBySources, isCostly, plannedForItsValues } from './plan.ts';
import type { Sort } from './search.ts';
import { conditionsOf, type SearchRequest } from './statement.ts';

const onlyParameter = Symbol('only');

/**
 * The form of a request; undefined where values decide how the statement is composed, and of the pages after
 * the first, which few ask for.
 */
export function formOf(request: SearchRequest): Form<SearchRequest> | undefined {
  const { shape, shapes, accountId, search, page, perPage } = request;
  const { where, sorts } = search;
  if (page > 1 || sorts.some(({ words }) => words)) return undefined;
  if (computedPerSource(search, shapes[shape]) || findsBySources(where, shapes[shape])) {
    return undefined;
  }
  const forAny: SearchRequest = { ...request, accountId: accountParameter };
  const { where: compiled, only } = conditionsOf(forAny);
  const isOfOne = only !== undefined;
  const key = [
    shape,
    perPage,
    isCostly(search, shapes),
    plannedForItsValues(where, request.isRare).values.length,
    // A list of one value has the text of any, and rows of one source row are in the order of an index.
    ...Object.values(shapes[shape].computed ?? {}).map(
      (computed) => onlyValue(where, computed.key) !== undefined,
    ),
    ...sorts.map(sortText),
    ...compiled.strings,
  ].join('\0');
  const values: unknown[] = [accountId];
  for (const value of compiled.values) if (value !== accountParameter) values.push(value);
  if (isOfOne) values.push(only);
  return {
    key,
    values,
    template: (compose) => {
      const { sql, parameters } = marked(compiled);
      const conditions = { where: sql, only: isOfOne ? onlyParameter : undefined };
      const all = [accountParameter, ...parameters, ...(isOfOne ? [onlyParameter] : [])];
      return template(compose({ ...forAny, conditions }), all);
    },
  };
}

const sortText = ({ attribute: { path, column }, descending }: Sort): string =>
  `${path.join('.')} ${column} ${descending}`;
