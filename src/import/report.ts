/** What was refused, as a file that can be mended and imported itself. */
import { csvRow } from '../csv/write.ts';
import type { Refused } from './run.ts';

/** @param names of the columns of what is imported */
export const reportHeader = (names: readonly string[]): string =>
  csvRow([...names, 'row', 'errors']);

export const reportRow = (
  names: readonly string[],
  { row: { cells, number }, errors }: Refused,
): string => csvRow([...names.map((_, at) => cells[at]), number, errors.join('; ')]);
