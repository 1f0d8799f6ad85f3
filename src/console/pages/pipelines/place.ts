import type { Edge } from '../../components/use_sortable.ts';

/** Where something is to go: one step up or down, or to one end of another. */
export type Place = 'up' | 'down' | { readonly of: number; readonly edge: Edge };

/**
 * The index that an item will have.
 * @returns undefined when the item or the one it is to be put at is not in the list
 */
export function placeAfter(
  items: readonly { readonly id: number }[],
  id: number,
  place: Place,
): number | undefined {
  const from = items.findIndex((item) => item.id === id);
  if (from < 0) return undefined;
  if (place === 'up') return Math.max(from - 1, 0);
  if (place === 'down') return Math.min(from + 1, items.length - 1);
  // Counted without the item, as if it had been picked up.
  const target = items.filter((item) => item.id !== id).findIndex((item) => item.id === place.of);
  if (target < 0) return undefined;
  return place.edge === 'before' ? target : target + 1;
}
