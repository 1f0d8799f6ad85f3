/**
 * The form of a search: what its SQL depends on besides the values that it compares with. Integrations and
 * dashboards ask the same of other values, and composing a statement costs more than all else that the service
 * does for a search.
 */
import { accountParameter, marked } from '../db/sql/sql.ts';
import { computedPerSource } from './computed_column.ts';
import { findsByTellers, isCostly, plannedForItsValues } from './plan.ts';
import type { Sort } from './search.ts';
import { conditionsOf, type SearchRequest } from './statement.ts';

export interface Form {
  /** The same for all searches of this form, of one selection. */
  readonly key: string;
  /** What stands for values in `request`, and the values of this search. */
  readonly parameters: readonly unknown[];
  readonly values: readonly unknown[];
  /** A request of this form, for any account and any values. */
  readonly request: SearchRequest;
}

const onlyParameter = Symbol('only');

/**
 * The form of a request; undefined where values decide how the statement is composed, and of the pages after
 * the first, which few ask for.
 */
export function formOf(request: SearchRequest): Form | undefined {
  const { shape, shapes, accountId, search, page, perPage } = request;
  const { where, sorts } = search;
  if (page > 1 || sorts.some(({ words }) => words)) return undefined;
  if (computedPerSource(search, shapes[shape]) || findsByTellers(where, shapes[shape])) {
    return undefined;
  }
  const forAny: SearchRequest = { ...request, accountId: accountParameter };
  const compiled = conditionsOf(forAny);
  const { sql, parameters } = marked(compiled.where);
  const isOfOne = compiled.only !== undefined;
  const only = isOfOne ? onlyParameter : undefined;
  const key = [
    shape,
    perPage,
    isCostly(where),
    plannedForItsValues(where).values.length,
    isOfOne,
    ...sorts.map(sortText),
    ...sql.strings,
  ].join('\0');
  return {
    key,
    parameters: [accountParameter, ...parameters, ...(isOfOne ? [only] : [])],
    values: [
      accountId,
      ...compiled.where.values.filter((value) => value !== accountParameter),
      ...(isOfOne ? [compiled.only] : []),
    ],
    request: { ...forAny, conditions: { where: sql, only } },
  };
}

const sortText = ({ attribute: { path, column }, descending }: Sort): string =>
  `${path.join('.')} ${column} ${descending}`;
