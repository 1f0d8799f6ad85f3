/** Where the next page begins: sent with one page, and read with the request for the next. */
import { Fault, type Faults } from '../../../errors/errors.ts';
import { type Cursor, readPageCursor, writePageCursor } from '../../../search/cursor.ts';
import type { SortKey } from '../../../search/order.ts';
import type { Pagination } from '../../../search/page.ts';

interface PageArguments {
  readonly page?: unknown;
  readonly after?: unknown;
}

/**
 * Reads where to go on from.
 * @param order of the search, which must be that of the search which the cursor came from
 * @param faults receives what is wrong with it
 */
export function readAfter(
  { after, page }: PageArguments,
  order: readonly SortKey[],
  faults: Faults,
): Cursor | undefined {
  if (after === undefined || after === null || after === '') return undefined;
  if (page !== undefined && page !== null) {
    faults.add('after', 'says where to go on: it cannot be sent together with page');
  }
  const place = readPageCursor(order, after);
  if (!place) faults.add('after', 'is not a cursor of a search in this order');
  return place;
}

/**
 * The pagination of a page, with the cursor of the next one if there is one.
 * @param place of a full page, the JSON of what its last record is ordered by
 */
export function withCursor(
  pagination: Pagination,
  order: readonly SortKey[],
  place: string | null,
): Pagination {
  if (pagination.next === null || place === null) return pagination;
  return { ...pagination, next_cursor: writePageCursor(order, JSON.parse(place), pagination.to) };
}

export const staleCursor = () =>
  new Fault('CURSOR_GONE', [
    'The record that the cursor named has changed since: begin the search anew',
  ]);
