/** How often a terminal shows how far something is, in milliseconds. */
const everyMs = 500;

/** Tells a person at a terminal how much has been written; a script is told nothing. */
export class Progress {
  readonly #what: string;
  #bytes = 0;
  #shownAt = 0;

  /** @param what is written, as the end of a line */
  constructor(what: string) {
    this.#what = what;
  }

  /** Passes on what is written. */
  readonly watch = async function* (
    this: Progress,
    text: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    for await (const part of text) {
      this.#bytes += part.length;
      yield part;
      if (!process.stderr.isTTY || Date.now() - this.#shownAt < everyMs) continue;
      this.#shownAt = Date.now();
      process.stderr.write(`\r${megabytes(this.#bytes)} ${this.#what}`);
    }
  }.bind(this);

  /** @param records that were written in all */
  end(records: number): void {
    const start = process.stderr.isTTY ? '\r' : '';
    process.stderr.write(
      `${start}${records.toLocaleString('en')} records, ${megabytes(this.#bytes)}\n`,
    );
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
