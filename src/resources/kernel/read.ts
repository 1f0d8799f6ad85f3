/** Reading works the same for every resource: an authorisation check, then one statement. */
import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../db/shape.ts';
import type { JsonText } from '../../json.ts';
import type { Sort } from '../../search/search.ts';
import { getPage, type Page, type SearchArguments, showPage } from './page.ts';
import { getRecord, type Stored, showRecord } from './record.ts';
import type { Resource } from './resource.ts';

/** A use case that reads one record. */
export type Get = (
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
) => Promise<Stored>;

/** The same that can return the record as an answer shows it, by a document's selection. */
export interface Getting extends Get {
  readonly shown: (...given: Parameters<Get>) => Promise<JsonText>;
}

/** A use case that reads a page of records. */
export type List = (
  ctx: Context,
  account: unknown,
  search: SearchArguments,
  selection: Selection,
) => Promise<Page>;

/** The same that can return the records as an answer shows them, by a document's selection. */
export interface Searching extends List {
  readonly shown: (...given: Parameters<List>) => Promise<Page<JsonText>>;
}

/** One record of a resource: NOT_FOUND when the account has none of this id. */
export const getting = ({ table, one }: Resource): Getting => {
  const action = `${one}.read` as const;
  const by =
    <T>(read: (...given: Parameters<typeof showRecord>) => Promise<T>) =>
    async (...[ctx, account, id, selection]: Parameters<Get>): Promise<T> => {
      authorize(ctx.viewer, account, action);
      return read(ctx, table, readId(id), selection);
    };
  return Object.assign(by(getRecord), { shown: by(showRecord) });
};

/**
 * A page of a resource: INVALID_SEARCH for a query, page or size that cannot be read.
 * @param order when the query has none; by id unless given
 */
export const searching = ({ table, one }: Resource, order?: readonly Sort[]): Searching => {
  const action = `${one}.read` as const;
  const by =
    <T>(find: (...given: Parameters<typeof showPage>) => Promise<T>) =>
    async (...[ctx, account, search, selection]: Parameters<List>): Promise<T> => {
      authorize(ctx.viewer, account, action);
      return find(ctx, table, search, selection, order);
    };
  return Object.assign(by(getPage), { shown: by(showPage) });
};
