/** How far an import has come, in a file beside the one that is imported. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type Counts,
  lastOf,
  noCounts,
  type Part,
  type PartResult,
  resultOf,
  sum,
} from '../../import/part.ts';
import type { Journal } from '../../import/run.ts';
import { readIfThere, replaceFile } from '../../lib/secret_file.ts';
import { CommandError } from '../command_error.ts';
import type { Report } from './report.ts';

/** A journal that knows what all parts came to. */
export interface Ledger extends Journal {
  readonly counts: Counts;
  /** To be called when there are no more rows. */
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
  /** When that was first sent, ISO 8601 in UTC, and by whom. */
  readonly sent: { readonly at: string; readonly caller: string } | null;
  readonly isDone: boolean;
}

/** What can become of rows of which nobody can tell any more whether they were written. */
export const doubtful = ['send', 'skip'] as const;
export type Doubtful = (typeof doubtful)[number];

export interface JournalHeader {
  /** What is imported. */
  readonly file: string;
  /** All that decides what becomes of it. */
  readonly task: unknown;
  /** The number of its header's row. */
  readonly header: number;
  readonly report: Report;
  /** Whether to begin again, whatever was done before. */
  readonly isAgain: boolean;
  /** Tells a token from others: an answer is given again to the token alone that asked. */
  readonly caller: string;
  readonly doubtful: Doubtful | undefined;
}

/** For less time than the service keeps answers (24 hours), since a part takes some time to be tried. */
const answeredMs = 23 * 3_600_000;

/**
 * A journal of which each entry is on the disk before the next thing is done. What was sent is in it, so
 * that after a crash the very same is sent again under the same key, for as long as the service knows that.
 */
export class FileJournal implements Ledger {
  readonly #path: string;
  readonly #report: Report;
  readonly #caller: string;
  #state: State;

  private constructor(path: string, { report, caller }: JournalHeader, state: State) {
    this.#path = path;
    this.#report = report;
    this.#caller = caller;
    this.#state = state;
  }

  /**
   * @throws {CommandError} when the file was imported before, or another one of its name only in
   *   part; when it is not said what becomes of doubtful rows
   */
  static async open(keeping: JournalHeader): Promise<FileJournal> {
    const { file, task, header, report, isAgain, caller } = keeping;
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
    const doubt = doubtOf(state, caller);
    if (doubt && !keeping.doubtful) throw new CommandError(`${file}: ${doubt}`);
    await report.cut(state.reported);
    const journal = new FileJournal(path, keeping, state);
    if (doubt && keeping.doubtful === 'skip') await journal.#skip();
    return journal;
  }

  /** Goes on behind the rows that were sent. */
  async #skip(): Promise<void> {
    const { pending } = this.#state;
    if (pending) await this.end(resultOf(pending, []));
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
    return this.#write({
      pending,
      sent: { at: new Date().toISOString(), caller: this.#caller },
    });
  }

  async end({ last, counts, refused }: PartResult): Promise<void> {
    const reported = await this.#report.add(refused);
    await this.#write({ last, reported, counts: sum(this.counts, counts), pending: null });
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
  sent: null,
  isDone: false,
});

/** @returns why nobody can tell whether what is pending was written; undefined where the service can */
function doubtOf({ pending, sent }: State, caller: string): string | undefined {
  if (!pending || !sent) return undefined;
  const isOld = Date.now() - Date.parse(sent.at) > answeredMs;
  if (!isOld && sent.caller === caller) return undefined;
  const why = isOld ? 'for longer than a day' : 'to another token';
  return `the rows up to ${lastOf(pending)} were sent at ${sent.at} and nobody heard what became of them, which the service does not tell ${why}: look whether they are there, then say --doubtful send or --doubtful skip`;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
