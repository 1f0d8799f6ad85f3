/** A file of CSV, taken apart into its header and what follows. */
import { decode, type Encoding, encodingOf } from './decode.ts';
import { type Row, readRows, UnreadableCsv } from './read.ts';

/** Opens the file's bytes, from the first one on. */
export type Bytes = () => AsyncIterable<Uint8Array>;

export interface Sheet {
  /** Names of columns. */
  readonly names: readonly string[];
  /** The number of the row that holds them. */
  readonly header: number;
  readonly encoding: Encoding;
  /** What follows, to be read once. */
  readonly rows: AsyncIterable<Row>;
}

interface Reading {
  /** The name of the encoding that is assumed where the file does not show it. */
  readonly assumed?: string | undefined;
  /** May count the bytes as the rows are read. */
  counted?(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/**
 * @param bytes of the file, which is read twice: to know its encoding, and for its rows
 * @throws {UnreadableCsv} when there is no header, or bytes of it are no characters
 */
export async function openSheet(
  bytes: Bytes,
  { assumed, counted = (chunks) => chunks }: Reading = {},
): Promise<Sheet> {
  const encoding = await encodingOf(bytes(), assumed);
  const rows = readRows(decode(counted(bytes()), encoding.name));
  const { value: first, done } = await rows.next();
  if (done) throw new UnreadableCsv('The file is empty');
  const { cells: names, number: header } = first;
  if (encoding.isDamaged && isDamaged(first)) {
    throw new UnreadableCsv(`Row ${header} ${damage(encoding)}`);
  }
  return { names, header, encoding, rows: judged(rows, names.length, encoding) };
}

const damage = ({ name }: Encoding): string => `has bytes that are not ${name}`;

const isDamaged = ({ cells }: Row): boolean => cells.some((cell) => cell.includes('\ufffd'));

/** A cell that has no column is one that was divided, and those behind it are not what they seem. */
async function* judged(
  rows: AsyncIterable<Row>,
  width: number,
  encoding: Encoding,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    const isWider = row.cells.slice(width).some((cell) => cell !== '');
    if (encoding.isDamaged && isDamaged(row)) yield { ...row, fault: damage(encoding) };
    else if (isWider) yield { fault: `has more cells than the ${width} of the header`, ...row };
    else yield row;
  }
}
