import { Faults } from '../errors.ts';
import { readInteger } from '../integer.ts';

/** Which page, counted from 1, of how many records. */
export interface Place {
  readonly page: number;
  readonly perPage: number;
}

/** The pagination object of the interface. */
export interface Pagination {
  readonly page: number;
  /** Records on this page. */
  readonly items: number;
  /** Records that match in all. */
  readonly count: number;
  readonly pages: number;
  /** The first and the last record of this page, counted from 1; 0 when it is empty. */
  readonly from: number;
  readonly to: number;
  readonly last: number;
  readonly prev: number | null;
  readonly next: number | null;
}

export const defaults = { page: 1, perPage: 10 };
export const largestPage = 100;

/**
 * Reads which page is wanted; null and nothing are the first page of 10.
 * @throws {Fault} INVALID_SEARCH on `page`, `per_page` or both
 */
export function readPage(page: unknown, perPage: unknown): Place {
  const faults = new Faults('INVALID_SEARCH');
  const place = {
    page: readCount('page', page, defaults.page, Number.MAX_SAFE_INTEGER, faults),
    perPage: readCount('per_page', perPage, defaults.perPage, largestPage, faults),
  };
  faults.throwIfAny();
  return place;
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
 * @param count records that match in all
 * @param onThisPage records on this page
 */
export function pagination(
  page: number,
  perPage: number,
  count: number,
  onThisPage: number,
): Pagination {
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
