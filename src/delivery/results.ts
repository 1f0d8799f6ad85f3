import type { Result } from './claims.ts';
import { type DeliveryStore, statementMs } from './store.ts';
import type { Timer, Timing } from './timing.ts';

/** How long a result waits for others, to be written with them, in milliseconds. */
const pauseMs = 20;

/** Within how many milliseconds a result is written, or is not. */
export const recordMs = pauseMs + statementMs;

/** What came of deliveries, on its way to the database: one statement for each account and moment. */
export class Results {
  readonly #store: Pick<DeliveryStore, 'record'>;
  readonly #timing: Timing;
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Map<number, Result[]>();
  readonly #writing = new Set<Promise<unknown>>();
  #timer: Timer | undefined;

  /** @param failed called with why results could not be written; their deliveries are made again */
  constructor(
    store: Pick<DeliveryStore, 'record'>,
    timing: Timing,
    failed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#timing = timing;
    this.#failed = failed;
  }

  add(accountId: number, result: Result): void {
    const waiting = this.#waiting.get(accountId) ?? [];
    waiting.push(result);
    this.#waiting.set(accountId, waiting);
    this.#timer ??= this.#timing.after(pauseMs, () => this.#write());
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    this.#write();
    await Promise.all(this.#writing);
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const [accountId, results] of this.#waiting) {
      const writing: Promise<unknown> = this.#store
        .record(accountId, results)
        .catch(this.#failed)
        .finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
    }
    this.#waiting.clear();
  }
}
