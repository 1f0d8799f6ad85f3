/** How often {@link Watchdog.silences} is to be asked at least, in milliseconds. */
export const lookMs = 250;

/**
 * Knows for how long each of several has been silent. Time in which this process did not run itself, because it
 * was stopped, the machine was suspended or had no processor to spare, counts for nobody: others did not run
 * then either, or could not be heard.
 */
export class Watchdog<T> {
  readonly #now: () => number;
  readonly #fed = new Map<T, number>();
  /** Milliseconds in which this process ran, and when they were last counted. */
  #clock = 0;
  #countedAt: number;

  /** @param now a clock in milliseconds that never goes back */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#countedAt = now();
  }

  /** Takes a sign of life. Whoever gives the first is watched from then on. */
  feed(who: T): void {
    this.#fed.set(who, this.#count());
  }

  /** Watches somebody no longer. */
  release(who: T): void {
    this.#fed.delete(who);
  }

  /** Everybody who is watched, with the milliseconds since the last sign of life. */
  silences(): { readonly who: T; readonly silentMs: number }[] {
    const clock = this.#count();
    return [...this.#fed].map(([who, fed]) => ({ who, silentMs: Math.round(clock - fed) }));
  }

  #count(): number {
    const now = this.#now();
    this.#clock += Math.min(now - this.#countedAt, 2 * lookMs);
    this.#countedAt = now;
    return this.#clock;
  }
}
