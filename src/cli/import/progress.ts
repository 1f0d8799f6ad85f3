/** Says on standard error how far an import has come. */
import type { Counts } from '../../import/part.ts';

/** Where nobody watches a terminal, a line now and then is enough. */
const pauseMs = 10_000;

/** A line that is said again and again. */
export class Line {
  #shownAt = performance.now();

  say(line: string): void {
    const { isTTY } = process.stderr;
    const now = performance.now();
    if (!isTTY && now - this.#shownAt < pauseMs) return;
    this.#shownAt = now;
    process.stderr.write(isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Leaves what was said in its line. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
}

export class Progress {
  readonly #bytes: number;
  readonly #line = new Line();
  #read = 0;

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

  tell({ created, updated, refused }: Counts): void {
    const percent = Math.floor((100 * this.#read) / Math.max(1, this.#bytes));
    this.#line.say(`${percent} % read: ${created} created, ${updated} updated, ${refused} refused`);
  }

  end(): void {
    this.#line.end();
  }
}
