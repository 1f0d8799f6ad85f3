/** Says on standard error how far an import has come. */
import type { Counts } from '../../import/run.ts';

/** Where nobody watches a terminal, a line now and then is enough. */
const pauseMs = 10_000;

export class Progress {
  readonly #bytes: number;
  #read = 0;
  #told = performance.now();

  /** @param bytes of the file */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** The same chunks, counted. */
  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#read += chunk.length;
      yield chunk;
    }
  }

  tell(counts: Counts): void {
    const { isTTY } = process.stderr;
    const now = performance.now();
    if (!isTTY && now - this.#told < pauseMs) return;
    this.#told = now;
    const percent = Math.floor((100 * this.#read) / Math.max(1, this.#bytes));
    const line = `${percent} % read: ${counts.created} created, ${counts.updated} updated, ${counts.refused} refused`;
    process.stderr.write(isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Leaves what was said in its line. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
}
