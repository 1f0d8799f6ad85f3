/** How many parts a set has: one of a million numbers has some four thousand in each. */
const parts = 256;

/**
 * A set of up to millions of whole numbers. One `Set` of them would stop everything for tens of milliseconds
 * whenever it has to grow, since it then puts all its values into a larger table.
 */
export class LargeSet {
  readonly #parts = Array.from({ length: parts }, () => new Set<number>());

  /** @returns whether the number is new */
  add(value: number): boolean {
    const part = this.#parts[value % parts];
    if (!part || part.has(value)) return false;
    part.add(value);
    return true;
  }
}
