import { RecurringWork } from '../../lib/recurring_work.ts';

/** The first look is not at the start, when others want the database. */
const firstMs = 60_000;
const everyMs = 3_600_000;

/** Something that is to be looked after now and then; of all processes of a database one does the work. */
export interface Chore {
  /** What it is about, for the log. */
  readonly name: string;
  /** @returns what was done, undefined when there was nothing to do */
  do(now: Date): Promise<object | undefined>;
}

/** Where it reports what it did, and what it could not do. */
interface Log {
  info(what: object, text: string): void;
  warn(what: object, text: string): void;
}

/** Does chores now and then, one after the other. */
export class Housekeeper {
  readonly #chores: readonly Chore[];
  readonly #log: Log;
  readonly #looking = new RecurringWork(everyMs, () => this.look());

  constructor(log: Log, ...chores: readonly Chore[]) {
    this.#log = log;
    this.#chores = chores;
  }

  /** Looks until `stop`. */
  start(): void {
    this.#looking.start(firstMs);
  }

  /** Nobody waits for what it is at: the next process goes on with it. */
  stop(): void {
    void this.#looking.close();
  }

  /** What fails, as where the role may not make tables, is tried again the next time. */
  async look(now: Date = new Date()): Promise<void> {
    for (const chore of this.#chores) {
      try {
        const result = await chore.do(now);
        if (result) this.#log.info(result, chore.name);
      } catch (error) {
        this.#log.warn({ err: error }, `${chore.name}: could not be looked after`);
      }
    }
  }
}
