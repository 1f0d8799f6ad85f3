import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A text, and the name under which it is prepared; '' when it is not. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** A statement that is not kept prepared. */
export const unprepared = (text: string): PreparedStatement => ({ name: '', text });

/**
 * Names the statements that stay prepared on the server, by their text. Every connection keeps
 * each of them, so there is a limit; beyond it statements go unnamed.
 */
export class StatementNames {
  readonly #known = new Map<string, PreparedStatement>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the text as the very string that was named first, which makes comparing it free. */
  of(text: string): PreparedStatement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#limit) return unprepared(text);
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const named = { name, text };
    this.#known.set(text, named);
    return named;
  }
}

/** Uses after which a text is worth keeping prepared. */
const usualUses = 8;

/** The most that a text which often ran for long must be used before it is prepared again. */
const maxUses = 512;

/** A run of more milliseconds is long: planning it anew costs little in comparison. */
const longRun = 20;

/** This many long runs within this many uses are the statement's fault; one may be the machine's. */
const tooManyLong = 3;
const watchedUses = 128;

interface StatementRuns {
  readonly times: number;
  /** Uses after which it gets its name. */
  readonly enough: number;
  /** How many of its recent runs were long. */
  readonly long: number;
}

const unseen: StatementRuns = { times: 0, enough: usualUses, long: 0 };

/**
 * Names texts that clients shape once they are used again and again: planning such a statement often
 * costs more than running it, and a dashboard or a nightly job keeps asking the same. One that often
 * runs for long loses its name for a while: a prepared statement may get one generic plan, and a
 * large account does better with its own.
 */
export class FrequentNames {
  readonly #names: StatementNames;
  readonly #texts = new Map<string, string>();
  readonly #seen: LRUCache<string, StatementRuns>;

  /** @param limit of names; ten times as many texts of usual length are watched */
  constructor(limit: number) {
    this.#names = new StatementNames(limit);
    this.#seen = new LRUCache({
      max: 10 * limit,
      maxSize: 100_000 * limit,
      sizeCalculation: (_, text) => text.length,
    });
  }

  of(text: string): PreparedStatement {
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    this.#seen.set(text, { times: times + 1, enough, long: times % watchedUses === 0 ? 0 : long });
    if (times < enough) return unprepared(text);
    const named = this.#names.of(text);
    if (named.name) this.#texts.set(named.name, named.text);
    return named;
  }

  /** Records how long a statement ran, in milliseconds, by the name that it was given. */
  recordRun(name: string, ms: number): void {
    const text = ms > longRun ? this.#texts.get(name) : undefined;
    if (text === undefined) return;
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    const isOften = long + 1 >= tooManyLong;
    const next = isOften
      ? { times: 0, enough: Math.min(8 * enough, maxUses), long: 0 }
      : { times, enough, long: long + 1 };
    this.#seen.set(text, next);
  }
}
