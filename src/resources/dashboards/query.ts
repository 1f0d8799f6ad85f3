/** What the dashboards of deals have in common. */
import type { Context } from '../../context/context.ts';
import { Fault, type Faults } from '../../errors/errors.ts';
import type { Search } from '../../search/search.ts';
import { readQuery } from '../kernel/read/page.ts';

/**
 * Reads which deals a dashboard is about, in the language of the searches.
 * @param faults receives what is wrong with it; an order is refused too, since a dashboard has its own
 */
export function readDealQuery(ctx: Context, query: unknown, faults: Faults): Search {
  const search = readQuery(ctx, query, 'deals', faults);
  const isSorted = search.sorts.some(({ words }) => !words);
  if (isSorted) faults.add('s', 'cannot be used here: the order is fixed');
  return search;
}

/** @throws {Fault} VALIDATION_FAILED for a sum that JSON would not carry exactly */
export function requireExact(sum: number): void {
  if (Number.isSafeInteger(sum)) return;
  throw new Fault('VALIDATION_FAILED', [`A sum is larger than ${Number.MAX_SAFE_INTEGER}`]);
}
