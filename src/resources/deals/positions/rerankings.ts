/** What an order asks of the deals that had their ranks by another. */
import { at, endOf, type Order } from './pieces.ts';

/** Deals whose ranks lie from `low` to `high` get those that begin at `start`, `factor` as far apart. */
export interface Reranking {
  readonly low: number;
  readonly high: number;
  readonly start: number;
  readonly factor: number;
}

/**
 * What has to be written for the deals that stay to stand in another order.
 * @param gone positions before of deals that leave, ascending
 * @param come the position after of one that comes
 */
export function rerankings(
  before: Order,
  after: Order,
  gone: readonly number[],
  come?: number,
): Reranking[] {
  const changes: Reranking[] = [];
  const stops = [...gone, before.count + 1];
  let [old, now, was, is] = [1, 1, 0, 0];
  for (const stop of stops) {
    while (old < stop) {
      if (now === come) now += 1;
      while (endOf(before, was) < old) was += 1;
      while (endOf(after, is) < now) is += 1;
      const size = Math.min(
        Math.min(endOf(before, was) + 1, stop) - old,
        Math.min(endOf(after, is) + 1, come !== undefined && come > now ? come : after.count + 1) -
          now,
      );
      const [from, to] = [at(before.pieces, was), at(after.pieces, is)];
      const low = from.rank + (old - from.place) * from.step;
      const start = to.rank + (now - to.place) * to.step;
      if (low !== start || (to.step !== from.step && size > 1)) {
        const high = low + (size - 1) * from.step;
        changes.push({ low, high, start, factor: to.step / from.step });
      }
      old += size;
      now += size;
    }
    old += 1;
  }
  return changes;
}
