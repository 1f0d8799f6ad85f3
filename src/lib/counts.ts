/** Counts by a text of which there may be too many for each to have its own: what comes later shares one. */
export class Counts {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /**
   * @param max texts that are counted by themselves
   * @param expected those that are there from the beginning, so that their first occurrence is seen as one
   */
  constructor(max: number, expected: readonly string[] = []) {
    this.#max = max;
    for (const text of expected) this.#counts.set(text, 0);
  }

  add(text: string): void {
    const own = this.#counts.get(text);
    if (own !== undefined) this.#counts.set(text, own + 1);
    else if (this.#counts.size < this.#max) this.#counts.set(text, 1);
    else this.#counts.set(others, (this.#counts.get(others) ?? 0) + 1);
  }

  entries(): Iterable<readonly [text: string, count: number]> {
    return this.#counts;
  }
}

/** What shares a count. */
export const others = 'other';
