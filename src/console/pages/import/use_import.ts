/** An import as the page shows it. */
import { useRef, useState } from 'preact/hooks';
import { openSheet, type Sheet } from '../../../csv/open.ts';
import type { Column } from '../../../import/mapping.ts';
import { MemoryJournal } from '../../../import/memory_journal.ts';
import type { DayOrder } from '../../../import/moments.ts';
import type { Counts, RowRefusal } from '../../../import/part.ts';
import { draftsOf, importDrafts, type Task } from '../../../import/run.ts';
import { asRefusal, type Refusal } from '../../api/refusal.ts';
import { json, service } from './service.ts';

export interface Importing {
  readonly state: 'running' | 'paused' | 'done';
  readonly isDry: boolean;
  /** When it was begun. */
  readonly since: number;
  readonly counts: Counts;
  /** What of the file was read, from 0 to 1. */
  readonly share: number;
  readonly refused: readonly RowRefusal[];
  /** Why it stands still, where nobody paused it. */
  readonly refusal?: Refusal | undefined;
}

/** What is done with a file. */
export interface Order {
  readonly file: File;
  /** See {@link open}. */
  readonly encoding: string | undefined;
  readonly columns: readonly Column[];
  /** Of days with slashes. */
  readonly days: DayOrder;
  readonly task: Task;
}

/**
 * @param encoding that is assumed where the file does not show it
 * @param count called with the bytes as they are read
 */
export const open = (
  file: File,
  encoding: string | undefined,
  count: (bytes: number) => void = () => undefined,
): Promise<Sheet> =>
  openSheet(() => chunksOf(file), {
    assumed: encoding,
    counted: (chunks) => counted(chunks, count),
  });

/**
 * @returns how far the import is, undefined before there is one; and what begins, pauses and goes on with
 *   it. Each part is sent and answered before the next one is, so that nothing is lost by a pause
 */
export function useImport() {
  const [shown, show] = useState<Importing>();
  const run = useRef<{ isPaused: boolean; goOn(): Promise<void> }>();
  const begin = async ({ file, encoding, columns, days, task }: Order) => {
    const refused: RowRefusal[] = [];
    const since = Date.now();
    const { header } = await open(file, encoding);
    const journal = new MemoryJournal(header, (more) => refused.push(...more));
    const own = { isPaused: false, goOn: () => Promise.resolve() };
    let read = 0;
    const tell = (state: Importing['state'], refusal?: Refusal) => {
      const { counts } = journal;
      const share = state === 'done' ? 1 : read / Math.max(1, file.size);
      show({ state, isDry: task.isDry, since, counts, share, refused: [...refused], refusal });
    };
    own.goOn = async () => {
      own.isPaused = false;
      tell('running');
      try {
        read = 0;
        const { rows } = await open(file, encoding, (bytes) => {
          read += bytes;
        });
        const drafts = draftsOf(rows, columns, json, days);
        for await (const _ of importDrafts(drafts, task, service, journal, json)) {
          if (own.isPaused) return tell('paused');
          tell('running');
        }
        tell('done');
      } catch (error) {
        tell('paused', asRefusal(error));
      }
    };
    run.current = own;
    await own.goOn();
  };
  return {
    shown,
    begin,
    pause: () => {
      if (run.current) run.current.isPaused = true;
    },
    goOn: () => run.current?.goOn(),
    forget: () => show(undefined),
  };
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  // Streams can be iterated in newer browsers alone.
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* counted(chunks: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}
