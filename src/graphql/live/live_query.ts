/** A query with several watchers: it runs once for all of them, when their account has changed. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds from one run to the next, at least; after a long one as many as that took. */
const pauseMs = 500;

/** How many watchers are told in one turn of the event loop; what they send then waits for turns of its own. */
const maxAtOnce = 64;

/** How long to wait after a temporary failure, in milliseconds. */
const failureMs = 2000;

/** What a run came to. */
export interface Outcome {
  /** As it is sent, byte for byte. */
  readonly text: string;
  /** Why there is no data: for good, or for a while as when the database is down. */
  readonly failure?: 'lasting' | 'passing';
}

export interface Watcher<Told extends Outcome> {
  /** Runs the query in the name of this watcher; never rejects. */
  readonly run: () => Promise<Told>;
  /**
   * Called with the first outcome of a run that began after the watcher joined, then with each that differs
   * from the one before. A lasting failure is the last; a passing one is only told to a watcher that has not
   * been told anything yet.
   */
  readonly notify: (outcome: Told) => void;
}

/**
 * Runs a query whenever its account has changed, as long as it has watchers, and tells each of them the
 * outcomes that it has not seen. Runs never overlap, and take at most half of the time.
 */
export class LiveQuery<Result extends Outcome> {
  /** With what each was told last. */
  readonly #watchers = new Map<Watcher<Result>, Result | undefined>();
  /** Of the runs that came to the same text one after the other, the first: to compare texts takes time. */
  #latest: Result | undefined;
  readonly #listen: (heard: () => void) => () => void;
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the next run may begin, on the clock of `performance`. */
  #restsUntil = 0;
  #isRunning = false;
  /** Whether anything happened since the last run began. */
  #isDue = false;

  /** @param listen calls when the account has changed; returns how to stop */
  constructor(listen: (heard: () => void) => () => void) {
    this.#listen = listen;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  join(watcher: Watcher<Result>): void {
    this.#watchers.set(watcher, undefined);
    this.#stop ??= this.#listen(() => this.#look());
    this.#look();
  }

  leave(watcher: Watcher<Result>): void {
    this.#watchers.delete(watcher);
    if (this.isWatched) return;
    this.#stop?.();
    this.#stop = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Runs it as soon as it may, once for all that happened until then. */
  #look(): void {
    this.#isDue = true;
    if (this.#isRunning || this.#timer || !this.isWatched) return;
    const wait = Math.max(0, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => void this.#run(), wait);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isDue = false;
    const present = [...this.#watchers.keys()];
    const [first] = present;
    if (!first) return;
    this.#isRunning = true;
    const began = performance.now();
    const ran = await first.run();
    const isSame = this.#latest?.text === ran.text && this.#latest.failure === ran.failure;
    const outcome = isSame && this.#latest ? this.#latest : ran;
    this.#latest = outcome;
    const took = performance.now() - began;
    // However long it takes, half of the time the database has for others.
    this.#restsUntil = began + Math.max(pauseMs, 2 * took);
    await this.#tellAll(present, outcome);
    this.#isRunning = false;
    if (outcome.failure === 'passing') {
      this.#restsUntil += failureMs;
      this.#isDue = true;
    }
    if (this.#isDue) this.#look();
  }

  async #tellAll(watchers: readonly Watcher<Result>[], outcome: Result): Promise<void> {
    let sentNow = 0;
    for (const watcher of watchers) {
      if (this.#tell(watcher, outcome)) sentNow += 1;
      if (sentNow < maxAtOnce) continue;
      sentNow = 0;
      await nextTurn();
    }
  }

  /** Whether there was anything new. */
  #tell(watcher: Watcher<Result>, outcome: Result): boolean {
    const last = this.#watchers.get(watcher);
    if (!this.#watchers.has(watcher) || last?.text === outcome.text) return false;
    if (last !== undefined && outcome.failure === 'passing') return false;
    this.#watchers.set(watcher, outcome);
    watcher.notify(outcome);
    return true;
  }
}
