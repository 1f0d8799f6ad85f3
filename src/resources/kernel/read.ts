/** Reading is the same for every resource: may this viewer, then one statement. */
import { type Action, authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import type { Selection, ShapeName } from '../../db/shape.ts';
import type { Sort } from '../../search/search.ts';
import { getPage, type Page, type SearchArguments } from './page.ts';
import { getRecord, type Stored } from './record.ts';

/** One record of a resource: NOT_FOUND when the account has none of this id. */
export const getting =
  (shape: ShapeName, action: Action) =>
  async (ctx: Context, account: unknown, id: unknown, selection: Selection): Promise<Stored> => {
    authorize(ctx.viewer, account, action);
    return getRecord(ctx, shape, readId(id), selection);
  };

/**
 * A page of a resource: INVALID_SEARCH for a query, page or size that cannot be read.
 * @param order for a query that does not sort; by id when not given
 */
export const searching =
  (shape: ShapeName, action: Action, order: readonly Sort[] = []) =>
  async (
    ctx: Context,
    account: unknown,
    search: SearchArguments,
    selection: Selection,
  ): Promise<Page> => {
    authorize(ctx.viewer, account, action);
    return getPage(ctx, shape, search, selection, order);
  };
