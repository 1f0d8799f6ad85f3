/** Why records were refused, as a file for the person who mends them at the source. */
import { appendFile, rm } from 'node:fs/promises';
import { csvRow } from '../../../csv/write.ts';

export class Refusals {
  readonly path: string;
  #rows: string[] = [csvRow(['records', 'id', 'errors'])];
  #count = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Forgets those of another time: what was refused then is tried again. */
  clear(): Promise<void> {
    return rm(this.path, { force: true });
  }

  add(kind: string, id: number, errors: readonly string[]): void {
    this.#count += 1;
    this.#rows.push(csvRow([kind, id, errors.join('; ')]));
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Writes what was added; there is no file without a refusal in it. */
  async write(): Promise<void> {
    if (!this.any || this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    await appendFile(this.path, rows.join(''), { mode: 0o600 });
  }
}
