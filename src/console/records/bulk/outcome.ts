import type { OutcomesFragment } from '../../../generated/console.ts';
import { inWords } from '../../words/refusals.ts';
import type { Piece } from './run.ts';

/**
 * What became of the records of a batch.
 * @param undo what takes back those that were written
 */
export function outcomeOf<Row>(
  rows: readonly Row[],
  results: OutcomesFragment['results'],
  undo: (written: readonly Row[]) => readonly (() => Promise<unknown>)[],
): Piece {
  const written = rows.filter((_, at) => (results[at]?.status ?? 500) < 400);
  return {
    done: written.length,
    refused: results.flatMap(({ errors }) => {
      const [first] = errors ?? [];
      return first === undefined ? [] : [inWords(first)];
    }),
    ...(written.length > 0 && { undo: undo(written) }),
  };
}
