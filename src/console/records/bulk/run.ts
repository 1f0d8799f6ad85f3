/** Does something with many records, a piece at a time, so that it can be watched and ended. */
import { signal } from '@preact/signals';
import type { ChosenContactsQuery, ChosenDealsQuery } from '../../../generated/console.ts';
import { asRefusal } from '../../api/refusal.ts';
import { attempt, dismissDone, tell } from '../../components/toast.tsx';
import { formatNumber } from '../../words/format.ts';
import { explain } from '../../words/refusals.ts';
import { words } from '../../words/words.ts';

export type ChosenDeal = ChosenDealsQuery['list']['data'][number];
export type ChosenContact = ChosenContactsQuery['list']['data'][number];

/** What is under way; there is one at a time. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

export const progress = signal<Progress | undefined>(undefined);

let isStopped = false;

/** Ends what is under way after the piece that is being done. */
export const stop = (): void => {
  isStopped = true;
};

/** Records that one request changes. */
export const pieceSize = 100;

/** What became of a piece: what takes it back, and of how many records it was refused, and why. */
export interface Piece {
  readonly undo?: readonly (() => Promise<unknown>)[];
  readonly done: number;
  readonly refused?: readonly string[];
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly count: number; readonly next_cursor: string | null };
}

/** Reads all records that a search finds. @throws {Refusal} */
export async function everyRow<Row>(
  page: (after: string | undefined) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const { data, pagination } = await page(after);
    rows.push(...data);
    if (pagination.next_cursor === null) return rows;
    after = pagination.next_cursor;
  }
}

/**
 * Does something with rows, piece by piece, and says how many it was done with; one undo takes back all of it.
 * @param read finds the rows
 * @param change does it with a piece of them
 * @param size of a piece
 */
export async function runOver<Row>(
  read: () => Promise<readonly Row[]>,
  change: (rows: readonly Row[]) => Promise<Piece>,
  size = pieceSize,
): Promise<void> {
  const { bulk } = words.value;
  if (progress.value) return;
  isStopped = false;
  dismissDone();
  progress.value = { done: 0, of: 0 };
  const undone: (() => Promise<unknown>)[] = [];
  const refused: string[] = [];
  let done = 0;
  const isRead = await attempt(async () => {
    const rows = await read();
    for (let from = 0; from < rows.length && !isStopped; from += size) {
      progress.value = { done: from, of: rows.length };
      const piece = await change(rows.slice(from, from + size)).catch((error): Piece => {
        isStopped = true;
        return { done: 0, refused: explain(asRefusal(error)) };
      });
      done += piece.done;
      undone.unshift(...(piece.undo ?? []));
      refused.push(...(piece.refused ?? []));
    }
  });
  progress.value = undefined;
  if (!isRead) return;
  const sentences = [bulk.done(formatNumber(done))];
  const [first] = refused;
  if (first) sentences.push(bulk.refused(formatNumber(refused.length)), first);
  tell(sentences.join(' '), undone.length > 0 ? () => takeBack(undone) : undefined);
}

async function takeBack(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  try {
    for (const [at, step] of steps.entries()) {
      progress.value = { done: at, of: steps.length };
      await step();
    }
  } finally {
    progress.value = undefined;
    bulkChanges.value += 1;
  }
}

/** Counts what was done, so that lists are read again. */
export const bulkChanges = signal(0);
