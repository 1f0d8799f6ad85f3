/** A file of CSV, taken apart into its header and what follows. */
import { decoded, encodingOf } from './decode.ts';
import { type Row, readRows, UnreadableCsv } from './read.ts';

/** Opens the file's bytes, from the first one on. */
export type Bytes = () => AsyncIterable<Uint8Array>;

export interface Sheet {
  /** Names of columns. */
  readonly names: readonly string[];
  /** The number of the row that holds them. */
  readonly header: number;
  /** What follows, to be read once. */
  readonly rows: AsyncIterable<Row>;
}

/**
 * @param bytes of the file, which is read twice: to know its encoding, and for its rows
 * @param counted may count the bytes of the second time as they are read
 * @throws {UnreadableCsv} when there is no header
 */
export async function openSheet(
  bytes: Bytes,
  counted = (chunks: AsyncIterable<Uint8Array>) => chunks,
): Promise<Sheet> {
  const encoding = await encodingOf(bytes());
  const rows = readRows(decoded(counted(bytes()), encoding));
  const { value: first, done } = await rows.next();
  if (done) throw new UnreadableCsv('The file is empty');
  return { names: first.cells, header: first.number, rows: withinHeader(rows, first.cells.length) };
}

/** A cell that has no column is one that was divided, and those behind it are not what they seem. */
async function* withinHeader(rows: AsyncIterable<Row>, width: number): AsyncGenerator<Row> {
  for await (const row of rows) {
    const isWider = row.cells.slice(width).some((cell) => cell !== '');
    yield isWider ? { fault: `has more cells than the ${width} of the header`, ...row } : row;
  }
}
