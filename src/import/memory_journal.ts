import { type Counts, noCounts, type Part, type PartResult, type RowRefusal, sum } from './part.ts';
import type { Journal } from './run.ts';

/** A journal that lasts no longer than the program. */
export class MemoryJournal implements Journal {
  readonly #run = crypto.randomUUID();
  readonly #tell: (refused: readonly RowRefusal[]) => unknown;
  last: number;
  pending: Part | undefined;
  counts: Counts = noCounts;

  /**
   * @param header the number of the row of names
   * @param tell called with what is refused
   */
  constructor(header: number, tell: (refused: readonly RowRefusal[]) => unknown) {
    this.last = header;
    this.#tell = tell;
  }

  keyOf(firstRow: number): string {
    return `${this.#run}-${firstRow}`;
  }

  async begin(part: Part): Promise<void> {
    this.pending = part;
  }

  async end({ last, counts, refused }: PartResult): Promise<void> {
    await this.#tell(refused);
    this.pending = undefined;
    this.last = last;
    this.counts = sum(this.counts, counts);
  }

  async close(): Promise<void> {}
}
