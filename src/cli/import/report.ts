/** The rows that were refused, as a file that can be mended and imported itself. */
import { appendFile, rm, stat, truncate } from 'node:fs/promises';
import type { RowRefusal } from '../../import/part.ts';
import { reportHeader, reportRow } from '../../import/report.ts';

export class Report {
  readonly path: string;
  readonly #names: readonly string[];
  #bytes = 0;

  /** @param names of the columns of what is imported */
  constructor(path: string, names: readonly string[]) {
    this.path = path;
    this.#names = names;
  }

  /** Goes on with what was there at this length; there is no file without a row in it. */
  async cut(bytes: number): Promise<void> {
    if (bytes === 0) await rm(this.path, { force: true });
    else await truncate(this.path, bytes);
    this.#bytes = bytes;
  }

  /** @returns how many bytes it has then */
  async add(refused: readonly RowRefusal[]): Promise<number> {
    if (refused.length === 0) return this.#bytes;
    const header = this.#bytes === 0 ? reportHeader(this.#names) : '';
    const rows = refused.map((one) => reportRow(this.#names, one));
    await appendFile(this.path, header + rows.join(''), { mode: 0o600, flush: true });
    this.#bytes = (await stat(this.path)).size;
    return this.#bytes;
  }
}
