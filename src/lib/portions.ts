/** Long work in portions, with turns of the event loop for everybody else between them. */
import { eventLoopQueue } from './event_loop_queue.ts';

/** After how many milliseconds of work others have their turns. */
const portionMs = 5;

/** The work of one call. */
export class Portions {
  readonly #accountId: number;
  /** How long it has worked since its last turn. */
  #workedMs = 0;

  /** @param accountId whose turns it takes */
  constructor(accountId: number) {
    this.#accountId = accountId;
  }

  /**
   * Does something with one item after the other.
   * @param work must take microseconds only
   * @throws what the work throws
   */
  async each<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
    let began = performance.now();
    for (const item of items) {
      work(item);
      if (this.#workedMs + performance.now() - began < portionMs) continue;
      await eventLoopQueue.waitForTurn(this.#accountId);
      this.#workedMs = 0;
      began = performance.now();
    }
    this.#workedMs += performance.now() - began;
  }

  /** @returns what the work makes of each item */
  async map<T, Made>(items: Iterable<T>, work: (item: T) => Made): Promise<Made[]> {
    const results: Made[] = [];
    await this.each(items, (item) => results.push(work(item)));
    return results;
  }
}
