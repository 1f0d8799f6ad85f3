/** The shortest pause that a timer can make, in milliseconds. */
const shortest = 1;

/**
 * How long the loop is left to everybody else, in times of what the work took. As long as it took is too
 * little: what a request of theirs needs comes in three or four turns, each of which might meet another piece.
 */
const rests = 2;

/**
 * Admits work that keeps the process busy for milliseconds, one piece per turn of the event loop and the
 * accounts in turns, and leaves the loop to everybody else for twice as long as each piece took. So all of it
 * together gets a third of the process at most, and everything else waits for a single piece.
 */
export class Turnstile {
  /** Those waiting, by account; the account whose turn it is comes first. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #isTurning = false;
  /** When it may turn again, on the clock of `performance`. */
  #restsUntil = 0;

  /**
   * Waits for a turn of the account: for what its caller does until it waits for anything else.
   */
  pass(accountId: number): Promise<void> {
    return new Promise((resolve) => {
      const alike = this.#waiting.get(accountId);
      if (alike) alike.push(resolve);
      else this.#waiting.set(accountId, [resolve]);
      if (!this.#isTurning) this.#turn();
    });
  }

  #turn(): void {
    this.#isTurning = true;
    const rest = this.#restsUntil - performance.now();
    if (rest < shortest) setImmediate(() => this.#letOneThrough());
    else setTimeout(() => this.#letOneThrough(), rest);
  }

  #letOneThrough(): void {
    const began = performance.now();
    this.#next()?.();
    // The work goes on in microtasks; a tick requested among them comes once none is left.
    queueMicrotask(() => process.nextTick(() => this.#rest(performance.now() - began)));
  }

  #rest(ms: number): void {
    this.#restsUntil = performance.now() + rests * ms;
    if (this.#waiting.size > 0) this.#turn();
    else this.#isTurning = false;
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [accountId, alike] = first;
    const next = alike.shift();
    this.#waiting.delete(accountId);
    if (alike.length > 0) this.#waiting.set(accountId, alike);
    return next;
  }
}

/** One for the process. */
export const turnstile = new Turnstile();
