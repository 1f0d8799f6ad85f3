import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A text, and the name under which it is kept; '' for not at all. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

/**
 * Names for statements that stay prepared on the server, by their text. Every connection keeps
 * each of them, so there is a limit; past it statements go unnamed.
 */
export class StatementNames {
  readonly #known = new Map<string, Named>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The text comes back as the very string that was named first, which makes comparing it free. */
  of(text: string): Named {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#limit) return { name: '', text };
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const named = { name, text };
    this.#known.set(text, named);
    return named;
  }
}

/** How often a text must come before it is worth keeping prepared. */
const oftenEnough = 8;

/** At most so often, after which it is tried again. */
const mostOften = 512;

/** Milliseconds of running beside which those of planning are few. */
const worthPlanning = 20;

/** So many long runs within so many runs are the statement's own; one alone may be the machine's. */
const tooManyLong = 3;
const within = 128;

interface Watched {
  readonly times: number;
  /** After so many times it gets its name. */
  readonly enough: number;
  /** How often it ran for long lately. */
  readonly long: number;
}

const unseen: Watched = { times: 0, enough: oftenEnough, long: 0 };

/**
 * Names for texts that clients shape, once they come again and again: planning such a statement
 * often costs more than running it, and a dashboard or a nightly job asks the same all the time.
 * One that often runs for long goes without again for a while: what is prepared has a plan for an
 * account like any other, and a large one does better with its own.
 */
export class FrequentNames {
  readonly #names: StatementNames;
  readonly #texts = new Map<string, string>();
  readonly #seen: LRUCache<string, Watched>;

  /** @param limit how many are named at most; ten times as many are watched, of usual length */
  constructor(limit: number) {
    this.#names = new StatementNames(limit);
    this.#seen = new LRUCache({
      max: 10 * limit,
      maxSize: 100_000 * limit,
      sizeCalculation: (_, text) => text.length,
    });
  }

  of(text: string): Named {
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    this.#seen.set(text, { times: times + 1, enough, long: times % within === 0 ? 0 : long });
    if (times < enough) return { name: '', text };
    const named = this.#names.of(text);
    if (named.name) this.#texts.set(named.name, named.text);
    return named;
  }

  /** Told how long a statement took, in milliseconds, by the name that it was given. */
  took(name: string, ms: number): void {
    const text = ms > worthPlanning ? this.#texts.get(name) : undefined;
    if (text === undefined) return;
    const { times, enough, long } = this.#seen.get(text) ?? unseen;
    const isOften = long + 1 >= tooManyLong;
    const next = isOften
      ? { times: 0, enough: Math.min(8 * enough, mostOften), long: 0 }
      : { times, enough, long: long + 1 };
    this.#seen.set(text, next);
  }
}
