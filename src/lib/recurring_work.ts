/** Work that is done again and again, never twice at once, until it is closed. */
export class RecurringWork {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #isClosed = false;

  /** @param work must not throw, and ends early once this is closed */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @param afterMs before the first time; a running process does not wait for it */
  start(afterMs = this.#everyMs): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#work().finally(() => this.start());
    }, afterMs).unref();
  }

  /** Resolves when what is at work has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }
}
