import { atLeast, atMost, notInList } from '../errors/codes.ts';
import { Faults } from '../errors/errors.ts';
import { readInteger } from '../lib/integer.ts';

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
  max: number,
  faults: Faults,
): number {
  if (sent === undefined || sent === null) return otherwise;
  const number = readInteger(sent);
  if (Number.isNaN(number)) faults.add(field, 'is not an integer');
  else if (number < 1) faults.add(field, atLeast(1));
  else if (number > max) faults.add(field, atMost(max));
  return number;
}

/** How all that match are counted; `estimate` is the planner's, `none` what is known without. */
export const countings = ['exact', 'estimate', 'none'] as const;
export type Counting = (typeof countings)[number];

/** @param faults receives what is wrong with it */
export function readCounting(sent: unknown, faults: Faults): Counting {
  if (sent === undefined || sent === null || sent === '') return 'exact';
  const counting = countings.find((one) => one === sent);
  if (!counting) faults.add('count', notInList(countings));
  return counting ?? 'exact';
}

/** What the `count` of a pagination is. */
export type CountKind = 'exact' | 'estimate' | 'at_least';

/** Where a page lies among all that match. */
export interface Extent {
  /** Records before it. */
  readonly before: number;
  /** Records on it. */
  readonly items: number;
  /** Whether there are more behind it. */
  readonly isMore: boolean;
}

/**
 * How many match, as far as is known without counting them.
 * @param estimate what the planner takes it for, if it was asked
 */
export function knownCount(
  { before, items, isMore }: Extent,
  estimate?: number,
): { readonly count: number; readonly counted: CountKind } {
  const isSeen = items > 0 || before === 0;
  const min = isSeen ? before + items + Number(isMore) : 0;
  if (isSeen && !isMore) return { count: min, counted: 'exact' };
  if (estimate === undefined) return { count: min, counted: 'at_least' };
  return { count: Math.max(min, estimate), counted: 'estimate' };
}

export type Pagination = ReturnType<typeof pagination>;

/**
 * The pagination object of the interface.
 * @param count records that match in all, as far as `counted` says
 * @param onThisPage records on this page
 * @param extent where it lies, if `page` and `count` do not say so
 */
export function pagination(
  page: number,
  perPage: number,
  count: number,
  onThisPage: number,
  extent?: Extent,
  counted: CountKind = 'exact',
) {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const { before, isMore } = extent ?? { before: (page - 1) * perPage, isMore: page < pages };
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
    next: isMore ? page + 1 : null,
    /** Where the next page begins, where that is known. */
    next_cursor: null as string | null,
    counted,
  };
}
