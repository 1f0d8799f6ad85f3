import { Fault } from '../errors/errors.ts';
import { FairQueue } from './fair_queue.ts';

interface QueuedCall {
  readonly begin: () => void;
  readonly refuse: (why: Fault) => void;
}

/** How many may wait, and the message for a caller that is refused because more do. */
interface WaitingLimit {
  readonly max: number;
  readonly refusal: string;
}

/**
 * Bounds how much work that takes processors and memory from everything else runs at once. Those who ask for
 * it take turns. Where too many wait, one of whoever has the longest queue is refused, so that nobody keeps
 * others from their turn by asking often.
 */
export class ConcurrencyLimit<Owner> {
  readonly #max: number;
  readonly #limit: WaitingLimit | undefined;
  readonly #maxOfOwner: number;
  readonly #waiting = new FairQueue<Owner, QueuedCall>();
  /** How much runs for each owner for whom something does. */
  readonly #runningOf = new Map<Owner, number>();
  #running = 0;

  /**
   * @param max how much may run at once
   * @param limit of those that wait; without one any number may
   * @param maxOfOwner how much may run at once for one owner
   */
  constructor(max: number, limit?: WaitingLimit, maxOfOwner = max) {
    this.#max = max;
    this.#limit = limit;
    this.#maxOfOwner = maxOfOwner;
  }

  /**
   * Runs `work` in the turn of its owner.
   * @throws {Fault} UNAVAILABLE when too many wait; and what the work throws
   */
  async run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    if (this.#hasPlace(owner)) this.#enter(owner);
    else await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#leave(owner);
      this.#waiting.take((_, next) => this.#hasPlace(next))?.begin();
    }
  }

  #hasPlace(owner: Owner): boolean {
    return this.#running < this.#max && (this.#runningOf.get(owner) ?? 0) < this.#maxOfOwner;
  }

  #enter(owner: Owner): void {
    this.#running += 1;
    this.#runningOf.set(owner, (this.#runningOf.get(owner) ?? 0) + 1);
  }

  #leave(owner: Owner): void {
    this.#running -= 1;
    const rest = (this.#runningOf.get(owner) ?? 0) - 1;
    if (rest > 0) this.#runningOf.set(owner, rest);
    else this.#runningOf.delete(owner);
  }

  #wait(owner: Owner): Promise<void> {
    return new Promise((resolve, refuse) => {
      // It has its place before it begins, or another one might take it.
      const begin = () => {
        this.#enter(owner);
        resolve();
      };
      this.#waiting.add(owner, { begin, refuse });
      if (!this.#limit || this.#waiting.size <= this.#limit.max) return;
      const refused = this.#waiting.removeFromLongest();
      refused?.refuse(new Fault('UNAVAILABLE', [this.#limit.refusal]));
    });
  }
}
