/** What was refused, as a file that can be mended and imported itself. */
import { csvRow } from '../csv/write.ts';
import type { RowRefusal } from './part.ts';

/** @param names of the columns of what is imported */
export const reportHeader = (names: readonly string[]): string =>
  csvRow([...names, 'row', 'errors']);

/** Cells that have no column come last, so that none is lost and the others stay beneath their names. */
export const reportRow = (
  names: readonly string[],
  { row: { cells, number }, errors }: RowRefusal,
): string =>
  csvRow([
    ...names.map((_, at) => cells[at]),
    number,
    errors.join('; '),
    ...cells.slice(names.length),
  ]);
