/** What dashboards have in common. */
import type { Context } from '../../context/context.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { Fault, type Faults } from '../../errors/errors.ts';
import type { Search } from '../../search/search.ts';
import { readQuery } from '../kernel/read/page.ts';

/**
 * Reads which records a dashboard is about, in the language of the searches.
 * @param faults receives what is wrong with it; an order is refused too, since a dashboard has its own
 */
export function readUnsortedQuery(
  ctx: Context,
  query: unknown,
  of: ShapeName,
  faults: Faults,
): Search {
  const search = readQuery(ctx, query, of, faults);
  const isSorted = search.sorts.some(({ words }) => !words);
  if (isSorted) faults.add('s', 'cannot be used here: the order is fixed');
  return search;
}

/** @throws {Fault} VALIDATION_FAILED for a sum that JSON would not carry exactly */
export function requireExact(sum: number): void {
  if (Number.isSafeInteger(sum)) return;
  throw new Fault('VALIDATION_FAILED', [`A sum is larger than ${Number.MAX_SAFE_INTEGER}`]);
}
