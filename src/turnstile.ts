/** A pause shorter than this, in milliseconds, no timer can make. */
const shortest = 1;

/**
 * Lets through, one in a turn of the event loop, what keeps the process busy for milliseconds, and
 * then leaves the loop to everybody else for as long as that took. However much of it there is, it
 * has half of the process at most, and what does not pass here waits for one of it, not for all.
 * Accounts take turns.
 */
export class Turnstile {
  /** Who waits, by account, that whose turn it is first. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #isTurning = false;
  /** When it may turn again, on the clock of `performance`. */
  #restsUntil = 0;

  /**
   * Waits for its turn. What the caller does from then on until it waits for anything from outside
   * the process is what counts as its work.
   * @param accountId whose work it is
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
    // It goes on in microtasks; a tick that is asked for among them comes when none is left.
    queueMicrotask(() => process.nextTick(() => this.#rest(performance.now() - began)));
  }

  #rest(ms: number): void {
    this.#restsUntil = performance.now() + ms;
    if (this.#waiting.size > 0) this.#turn();
    else this.#isTurning = false;
  }

  #next(): (() => void) | undefined {
    for (const [accountId, alike] of this.#waiting) {
      const next = alike.shift();
      this.#waiting.delete(accountId);
      if (alike.length > 0) this.#waiting.set(accountId, alike);
      return next;
    }
    return undefined;
  }
}

/** Of the process, which has one event loop. */
export const turnstile = new Turnstile();
