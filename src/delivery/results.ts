import type { Database } from '../db/database.ts';
import { type Clock, type Result, record } from './claims.ts';

/** How long a result waits for others, to be written with them, in milliseconds. */
const pauseMs = 20;

/** How long the database may take to write them, in milliseconds. */
export const statementMs = 5000;

/** Within how many milliseconds a result is written, or is not. */
export const recordMs = pauseMs + statementMs;

/** What came of deliveries, on its way to the database: one statement for each account and moment. */
export class Results {
  readonly #db: Database;
  readonly #clock: () => Clock;
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Map<number, Result[]>();
  readonly #writing = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  /** @param failed called with why results could not be written; their deliveries are made again */
  constructor(db: Database, clock: () => Clock, failed: (error: unknown) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#failed = failed;
  }

  add(accountId: number, result: Result): void {
    const waiting = this.#waiting.get(accountId) ?? [];
    waiting.push(result);
    this.#waiting.set(accountId, waiting);
    this.#timer ??= setTimeout(() => this.#write(), pauseMs);
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    this.#write();
    await Promise.all(this.#writing);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [accountId, results] of this.#waiting) {
      const db = this.#db.of(accountId, performance.now() + statementMs);
      const writing: Promise<unknown> = record(db, accountId, results, this.#clock())
        .catch(this.#failed)
        .finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
    }
    this.#waiting.clear();
  }
}
