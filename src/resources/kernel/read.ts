/** Reading is the same for every resource: may this viewer, then one statement. */
import { authorize, readId, type Subject } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import type { Sort } from '../../search/search.ts';
import type { Fields } from './fields.ts';
import { getPage, type Page, type SearchArguments } from './page.ts';
import { getRecord, type Stored } from './record.ts';
import type { Resource } from './resource.ts';

/** How a use case reads one record. */
export type Get = (
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
) => Promise<Stored>;

/** How one reads a page of them. */
export type List = (
  ctx: Context,
  account: unknown,
  search: SearchArguments,
  selection: Selection,
) => Promise<Page>;

/** One record of a resource: NOT_FOUND when the account has none of this id. */
export const getting = ({ table, one }: Resource<Fields, Subject>): Get => {
  const action = `${one}.read` as const;
  return async (ctx, account, id, selection) => {
    authorize(ctx.viewer, account, action);
    return getRecord(ctx, table, readId(id), selection);
  };
};

/**
 * A page of a resource: INVALID_SEARCH for a query, page or size that cannot be read.
 * @param order for a query that does not sort; by id when not given
 */
export const searching = (
  { table, one }: Resource<Fields, Subject | 'audit_entry'>,
  order?: readonly Sort[],
): List => {
  const action = `${one}.read` as const;
  return async (ctx, account, search, selection) => {
    authorize(ctx.viewer, account, action);
    return getPage(ctx, table, search, selection, order);
  };
};
