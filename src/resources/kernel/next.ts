/** Where the next page begins: told with one page, and read with the request for the next. */
import type { Selection, ShapeName } from '../../db/shape.ts';
import { Fault, type Faults } from '../../errors.ts';
import type { SortKey } from '../../search/order.ts';
import type { Pagination } from '../../search/page.ts';
import { type Place, readPlace, writePlace } from '../../search/place.ts';
import { shapes } from '../shapes.ts';
import type { Stored } from './record.ts';

interface Sent {
  readonly page?: unknown;
  readonly after?: unknown;
}

/**
 * Reads where to go on from.
 * @param order of the search, which must be that of the search that told it
 * @param faults receives what is wrong with it
 */
export function readAfter(
  { after, page }: Sent,
  order: readonly SortKey[],
  faults: Faults,
): Place | undefined {
  if (after === undefined || after === null || after === '') return undefined;
  if (page !== undefined && page !== null) {
    faults.add('after', 'says where to go on: it cannot be sent together with page');
  }
  const place = readPlace(order, after);
  if (!place) faults.add('after', 'is no cursor of a search in this order');
  return place;
}

/** Whether a record as it is selected tells what it is ordered by. */
export const shows = (
  { fields }: Selection,
  shape: ShapeName,
  { path, column, kind }: SortKey,
): boolean =>
  path.length === 0 &&
  kind !== undefined &&
  fields.includes(column) &&
  shapes[shape].computed?.[column] === undefined;

/** Takes the place of the last record out of a list of records, where the statement put it. */
export function takePlace(data: Stored[]): readonly unknown[] | undefined {
  const last: unknown = data.at(-1);
  if (!Array.isArray(last)) return undefined;
  data.pop();
  return last;
}

/**
 * The pagination of a page, with the cursor of the next one if there is one.
 * @param told what the last record is ordered by, if it does not show that itself
 */
export function withCursor(
  pagination: Pagination,
  order: readonly SortKey[],
  data: readonly Stored[],
  told: readonly unknown[] | undefined,
): Pagination {
  const last = data.at(-1);
  if (pagination.next === null || !last) return pagination;
  const values = told ?? order.map(({ column }) => last[column]);
  return { ...pagination, next_cursor: writePlace(order, values, pagination.to) };
}

export const placeGone = () =>
  new Fault('CURSOR_GONE', [
    'The record that the cursor named has changed since: begin the search anew',
  ]);
