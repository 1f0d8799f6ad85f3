import type { Database } from '../../db/database.ts';
import { dropMonths, makeMonths } from './months.ts';

/** The first look is not at the start, when others want the database. */
const firstMs = 60_000;
const everyMs = 3_600_000;

/** Whom it tells what it did, and what it could not do. */
interface Log {
  info(what: object, text: string): void;
  warn(what: object, text: string): void;
}

/** Looks now and then whether the audit trail has its next months, and months that are no longer kept. */
export class HistoryKeeper {
  readonly #db: Database;
  readonly #keptSeconds: number | null;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;

  /** @param keptSeconds how long entries are kept at least; null: for ever */
  constructor(db: Database, keptSeconds: number | null, log: Log) {
    this.#db = db;
    this.#keptSeconds = keptSeconds;
    this.#log = log;
  }

  /** Looks until `stop`; of all processes of a database one does the work. */
  start(afterMs: number = firstMs): void {
    this.#timer = setTimeout(() => {
      this.start(everyMs);
      void this.look();
    }, afterMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** What fails, as where the role may not make tables, is tried again the next time. */
  async look(now: Date = new Date()): Promise<void> {
    try {
      const made = await makeMonths(this.#db, now);
      const kept = this.#keptSeconds;
      const dropped = kept === null ? [] : await dropMonths(this.#db, now, kept);
      if (made.length + dropped.length > 0)
        this.#log.info({ made, dropped }, 'audit trail by months');
    } catch (error) {
      this.#log.warn({ err: error }, 'the months of the audit trail could not be made or dropped');
    }
  }
}
