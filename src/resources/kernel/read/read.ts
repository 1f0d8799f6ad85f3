/** Reading works the same for every resource: an authorisation check, then one statement. */
import { authorize, readId } from '../../../auth/policy.ts';
import type { Context } from '../../../context/context.ts';
import type { Selection } from '../../../db/sql/shape.ts';
import type { Sort } from '../../../search/search.ts';
import type { Resource } from '../resource.ts';
import { getPage, type SearchArguments, type SearchPage } from './page.ts';
import { getRecord } from './record.ts';
import type { RecordResult } from './record_result.ts';

/** A use case that answers with the record of an id, which it reads or brings back. */
export type ById = (
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
) => Promise<RecordResult>;

/** A use case that reads a page of records. */
export type List = (
  ctx: Context,
  account: unknown,
  search: SearchArguments,
  selection: Selection,
) => Promise<SearchPage>;

/** One record of a resource: NOT_FOUND when the account has none of this id. */
export const getting = ({ table, one }: Resource): ById => {
  const action = `${one}.read` as const;
  return async (ctx, account, id, selection) => {
    authorize(ctx.viewer, account, action);
    return getRecord(ctx, table, readId(id), selection);
  };
};

/** An order for records of which the latest are looked at most. */
export const newestFirst: readonly Sort[] = [
  { attribute: { path: [], column: 'id', kind: 'integer' }, descending: true },
];

/**
 * A page of a resource: INVALID_SEARCH for a query, page or size that cannot be read.
 * @param order when the query has none; by id unless given
 */
export const searching = ({ table, one }: Resource, order?: readonly Sort[]): List => {
  const action = `${one}.read` as const;
  return async (ctx, account, search, selection) => {
    authorize(ctx.viewer, account, action);
    return getPage(ctx, table, search, selection, order);
  };
};
