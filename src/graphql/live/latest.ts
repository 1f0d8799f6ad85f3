/** The latest of several values, for one consumer that takes it when there is a new one. */
export class Latest<Value> {
  #value: Value | undefined;
  #wake: (() => void) | undefined;

  set(value: Value): void {
    this.#value = value;
    this.#wake?.();
  }

  /**
   * @returns the latest value once there is one that was not taken yet; undefined when `over` is
   *   aborted before
   */
  async next(over: AbortSignal): Promise<Value | undefined>;
  async next(): Promise<Value>;
  async next(over?: AbortSignal): Promise<Value | undefined> {
    const wake = () => this.#wake?.();
    over?.addEventListener('abort', wake, { once: true });
    while (this.#value === undefined && !over?.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    over?.removeEventListener('abort', wake);
    const value = over?.aborted ? undefined : this.#value;
    this.#value = undefined;
    return value;
  }
}
