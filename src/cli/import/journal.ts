/** How far an import has come, in a file beside the one that is imported. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type Counts,
  type Journal,
  noCounts,
  type Part,
  type Settled,
  sum,
} from '../../import/run.ts';
import { readIfThere, replaceFile } from '../../kept_file.ts';
import { CommandError } from '../failure.ts';
import type { Report } from './report.ts';

/** A journal that knows what all parts came to. */
export interface Ledger extends Journal {
  readonly counts: Counts;
  /** Is told that there are no more rows. */
  close(): Promise<void>;
}

interface State {
  /** The SHA-256 of the file. */
  readonly file: string;
  /** The same of what is done with it, and where. */
  readonly task: string;
  /** Of this import of it, so that another one writes its records anew. */
  readonly run: string;
  readonly last: number;
  /** Bytes of the report. */
  readonly reported: number;
  readonly counts: Counts;
  readonly pending: Part | null;
  readonly isDone: boolean;
}

export interface Keeping {
  /** What is imported. */
  readonly file: string;
  /** All that decides what becomes of it. */
  readonly task: unknown;
  /** The number of its header's row. */
  readonly header: number;
  readonly report: Report;
  /** Whether to begin again, whatever was done before. */
  readonly isAgain: boolean;
}

/**
 * A journal of which each entry is on the disk before the next thing is done. What was sent is in it, so
 * that after a crash the very same is sent again under the same key.
 */
export class FileJournal implements Ledger {
  readonly #path: string;
  readonly #report: Report;
  #state: State;

  private constructor(path: string, report: Report, state: State) {
    this.#path = path;
    this.#report = report;
    this.#state = state;
  }

  /** @throws {CommandError} when the file was imported before, or another one of its name only in part */
  static async open({ file, task, header, report, isAgain }: Keeping): Promise<FileJournal> {
    const path = `${file}.import.json`;
    const hash = await hashOf(file);
    const tasks = createHash('sha256').update(JSON.stringify(task)).digest('hex');
    const text = isAgain ? undefined : await readIfThere(path);
    const before: State | undefined = text === undefined ? undefined : JSON.parse(text);
    const isSame = before?.file === hash && before.task === tasks;
    if (before?.isDone && isSame) {
      throw new CommandError(`${file} was imported before: --again does it once more`);
    }
    if (before && !before.isDone && !isSame) {
      throw new CommandError(
        `An import of ${file} was cut off, and the file or the options were others then: --again begins anew`,
      );
    }
    const isContinued = before !== undefined && !before.isDone;
    const state = isContinued ? before : blank(hash, tasks, header);
    await report.cut(state.reported);
    return new FileJournal(path, report, state);
  }

  get counts(): Counts {
    return this.#state.counts;
  }

  get last(): number {
    return this.#state.last;
  }

  get pending(): Part | undefined {
    return this.#state.pending ?? undefined;
  }

  keyOf(firstRow: number): string {
    const { run, file } = this.#state;
    return createHash('sha256').update(`${run} ${file} ${firstRow}`).digest('hex');
  }

  begin(pending: Part): Promise<void> {
    return this.#write({ pending });
  }

  async end({ last, counts, refused, rest }: Settled): Promise<void> {
    const reported = await this.#report.add(refused);
    await this.#write({ last, reported, counts: sum(this.counts, counts), pending: rest ?? null });
  }

  close(): Promise<void> {
    return this.#write({ isDone: true });
  }

  async #write(changes: Partial<State>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await replaceFile(this.#path, JSON.stringify(this.#state));
  }
}

const blank = (file: string, task: string, last: number): State => ({
  file,
  task,
  run: randomUUID(),
  last,
  reported: 0,
  counts: noCounts,
  pending: null,
  isDone: false,
});

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
