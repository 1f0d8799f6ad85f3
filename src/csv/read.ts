/** Reading CSV as people have it, row by row, in memory that does not grow with the file. */
import { type DividedText, divider } from './divide.ts';
import { undefuse } from './formula.ts';

export interface Row {
  /** As spreadsheets count: the first row is 1, and a line break in quotes begins none. */
  readonly number: number;
  readonly cells: readonly string[];
  /** What is wrong with the row as such, as the end of a sentence about it. */
  readonly fault?: string;
}

/** Characters that a row may have; in one that has more a quote was most likely never closed. */
const longestRow = 1024 * 1024;

/** The file is not CSV. */
export class UnreadableCsv extends Error {}

/**
 * The rows of a text that comes in pieces. Blank ones are left out, though they count. Cells come without
 * blanks around them, without the mark that defuses a formula, and without a formula around a text.
 * @throws {UnreadableCsv} where a quote is opened and never closed, and for a row that is too long
 */
export async function* readRows(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let rest = '';
  let number = 0;
  let divide: ReturnType<typeof divider> | undefined;
  const take = (isLast: boolean): readonly Row[] => {
    if (!divide) {
      const { delimiter, begins } = formOf(rest);
      divide = divider(delimiter);
      rest = rest.slice(begins);
    }
    const { rows, end } = divide(rest, isLast);
    const before = number;
    number += rows.length;
    rest = rest.slice(end);
    if (isLast ? rest !== '' : rest.length > longestRow) throw unreadable(number + 1, rest, isLast);
    return rows
      .map((row, at) => rowOf(row, before + at + 1))
      .filter(({ cells }) => cells.some(Boolean));
  };
  for await (const text of texts) {
    rest += text;
    const isBegun = divide !== undefined || /[\r\n]./.test(rest) || rest.length > longestRow;
    if (isBegun) yield* take(false);
  }
  yield* take(true);
}

const unclosed = 'opens a quote that nothing closes';
const tooLong = `has more than ${longestRow} characters`;

/** @param isWhole whether all of the row is there, so that a quote must be what keeps it from ending */
function unreadable(number: number, text: string, isWhole: boolean): UnreadableCsv {
  const mayBe = text.includes('"') ? `${unclosed}, or ${tooLong}` : tooLong;
  return new UnreadableCsv(`Row ${number} ${isWhole ? unclosed : mayBe}`);
}

function rowOf({ cells, isTorn }: DividedText, number: number): Row {
  const texts = cells.map((cell) => textOf(cell.trim()));
  const fault = isTorn ? { fault: 'has text behind a quoted cell' } : {};
  return { number, cells: texts, ...fault };
}

/** What keeps a spreadsheet from taking digits for a number: `="00123"`. */
const formula = /^="([^"]*(?:""[^"]*)*)"$/;

function textOf(cell: string): string {
  const [, text] = formula.exec(cell) ?? [];
  return text === undefined ? undefuse(cell) : text.replaceAll('""', '"').trim();
}

/** How a file is written. */
interface Form {
  readonly delimiter: string;
  /** Where its first row begins. */
  readonly begins: number;
}

/** Spreadsheets may say in a line of its own what divides cells. */
const said = /^sep=(.)\r?\n/i;

/**
 * What divides the cells of the first row that has any: what is there most often outside of quotes, and of
 * what is there as often what texts themselves rarely have.
 */
function formOf(beginning: string): Form {
  const [line = '', delimiter] = said.exec(beginning) ?? [];
  if (delimiter) return { delimiter, begins: line.length };
  const unquoted = beginning.replace(/"(?:[^"]|"")*"?/g, '');
  const header = unquoted.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  const counts = ['\t', ';', '|', ','].map((one) => [one, header.split(one).length] as const);
  const [max] = counts.toSorted(([, a], [, b]) => b - a);
  return { delimiter: max?.[0] ?? ',', begins: 0 };
}
