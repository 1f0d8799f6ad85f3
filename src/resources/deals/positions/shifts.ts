/** How the positions of those shift that stay, when others come and go. */

/** From the first to the last position of some that stand one after the other. */
export type Range = readonly [first: number, last: number];

/** Ranges that shift, each as a whole, in rising order: where they were, and where they are. */
export interface Shifts {
  readonly was: readonly Range[];
  readonly is: readonly Range[];
}

/**
 * @param count how many there were
 * @param gone positions before of those that leave, ascending
 * @param come the position after of one that comes
 */
export function shifts(count: number, gone: readonly number[], come?: number): Shifts {
  const was: Range[] = [];
  const is: Range[] = [];
  let [old, now] = [1, 1];
  for (const stop of [...gone, count + 1]) {
    while (old < stop) {
      if (now === come) now += 1;
      const untilCome = come !== undefined && come > now ? come - now : count;
      const size = Math.min(stop - old, untilCome);
      if (old !== now) {
        was.push([old, old + size - 1]);
        is.push([now, now + size - 1]);
      }
      old += size;
      now += size;
    }
    old += 1;
  }
  return { was, is };
}
