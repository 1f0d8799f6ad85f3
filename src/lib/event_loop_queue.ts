import { FairQueue } from './fair_queue.ts';

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
export class EventLoopQueue {
  readonly #waiting = new FairQueue<number, () => void>();
  #isTurning = false;
  /** When it may turn again, on the clock of `performance`. */
  #restsUntil = 0;

  /**
   * Waits for a turn of the account: for what its caller does until it waits for anything else.
   */
  waitForTurn(accountId: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(accountId, resolve);
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
    this.#waiting.take()?.();
    // The work goes on in microtasks; a tick requested among them comes once none is left.
    queueMicrotask(() => process.nextTick(() => this.#rest(performance.now() - began)));
  }

  #rest(ms: number): void {
    this.#restsUntil = performance.now() + rests * ms;
    if (this.#waiting.size > 0) this.#turn();
    else this.#isTurning = false;
  }
}

/** Of this process. */
export const eventLoopQueue = new EventLoopQueue();
