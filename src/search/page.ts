import { Faults } from '../errors.ts';
import { readInteger } from '../integer.ts';

export const defaults = { page: 1, perPage: 10 };
export const largestPage = 100;

/**
 * Reads which page is wanted, counted from 1; null and nothing are the first page of 10.
 * @param faults of the search, found so far
 * @throws {Fault} INVALID_SEARCH with these and those on `page` and `per_page`
 */
export function readPage(page: unknown, perPage: unknown, faults = new Faults('INVALID_SEARCH')) {
  const read = {
    page: readCount('page', page, defaults.page, Number.MAX_SAFE_INTEGER, faults),
    perPage: readCount('per_page', perPage, defaults.perPage, largestPage, faults),
  };
  faults.throwIfAny();
  return read;
}

function readCount(
  field: string,
  sent: unknown,
  otherwise: number,
  most: number,
  faults: Faults,
): number {
  if (sent === undefined || sent === null) return otherwise;
  const number = readInteger(sent);
  if (Number.isNaN(number)) faults.add(field, 'is not an integer');
  else if (number < 1) faults.add(field, 'must be greater than or equal to 1');
  else if (number > most) faults.add(field, `must be less than or equal to ${most}`);
  return number;
}

/**
 * The pagination object of the interface.
 * @param count records that match in all
 * @param onThisPage records on this page
 */
export function pagination(page: number, perPage: number, count: number, onThisPage: number) {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const before = (page - 1) * perPage;
  const empty = onThisPage === 0;
  return {
    page,
    items: onThisPage,
    count,
    pages,
    from: empty ? 0 : before + 1,
    to: empty ? 0 : before + onThisPage,
    last: pages,
    prev: page > 1 ? Math.min(page - 1, pages) : null,
    next: page < pages ? page + 1 : null,
  };
}
