import type { Database } from '../../db/database.ts';
import { RecurringWork } from '../../lib/recurring_work.ts';
import { proceed, type Reference, take, unclaimed } from './erasure.ts';

/** How often is asked whether an erasure was left unfinished. */
const everyMs = 10_000;

/** How long the database may take for a piece, in milliseconds. */
const pieceMs = 10_000;

/** Accounts whose erasures one process does side by side, at most. */
const max = 50;

/** Where it reports what it could not do. */
interface Log {
  warn(what: object, text: string): void;
}

/**
 * Finishes erasures whose process was interrupted, or that took longer than a request may. They take turns,
 * piece by piece, one of each account, so that no account's waits for that of another.
 */
export class ErasureWorker {
  readonly #db: Database;
  readonly #log: Log;
  readonly #looking = new RecurringWork(everyMs, () => this.#look());
  #isWell = true;

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Looks at once, and from then on now and then until `close`. */
  start(): void {
    this.#looking.start(0);
  }

  /** Resolves when the piece in hand is done: another process, or the next start, goes on after it. */
  close(): Promise<void> {
    return this.#looking.close();
  }

  async #look(): Promise<void> {
    try {
      for (let isMore = true; isMore && !this.#looking.isClosed; ) {
        const due = await unclaimed(this.#database(), max);
        isMore = await this.#finish(due);
      }
      this.#isWell = true;
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @returns whether it finished any */
  async #finish(due: readonly Reference[]): Promise<boolean> {
    const active = new Set<AsyncGenerator<unknown>>();
    for (const one of due) {
      if (!(await take(this.#database(one.account_id), one))) continue;
      active.add(proceed(() => this.#database(one.account_id), one));
    }
    let finished = false;
    while (active.size > 0 && !this.#looking.isClosed) {
      for (const each of active) {
        if (this.#looking.isClosed) break;
        const isDone = await each.next().then(
          ({ done }) => {
            if (done) finished = true;
            return done;
          },
          (error: unknown) => {
            this.#complain(error);
            return true;
          },
        );
        if (isDone) active.delete(each);
      }
    }
    return finished;
  }

  #database(accountId?: number): Database {
    return this.#db.of({ account: accountId, until: performance.now() + pieceMs });
  }

  /** Once until it is well again: while the database is away every attempt would say so. */
  #complain(error: unknown): void {
    if (!this.#isWell) return;
    this.#isWell = false;
    this.#log.warn({ err: error }, 'an erasure could not be finished for now');
  }
}
