/** Chance that comes again: the same seed makes the same choices in the same order. */
export class Random {
  #state: number;

  /** @param seed an integer; its lower 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1, by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** Whether something happens that does so in `share` of all cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** @throws {Error} when there is nothing to pick */
  pick<T>(list: readonly T[]): T {
    const at = this.below(list.length);
    for (const found of list.slice(at, at + 1)) return found;
    throw new Error('there is nothing to pick');
  }

  /** Each element with the same chance. */
  some<T>(list: readonly T[], share: number): T[] {
    return list.filter(() => this.chance(share));
  }

  /** As many as `min` to `max` of what `make` makes. */
  many<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: this.between(min, max) }, make);
  }

  /** Runs one of several makers, each as often as its weight says. */
  among<T>(makers: readonly (readonly [weight: number, make: () => T])[]): T {
    let at = this.next() * makers.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of makers) {
      if ((at -= weight) < 0) return make();
    }
    return this.pick(makers)[1]();
  }
}
