/**
 * Dividing text into rows and cells (RFC 4180). Libraries for this are too large for the console, or cannot take a file in
 * pieces; the tests compare this with one of them.
 */

export interface DividedText {
  readonly cells: readonly string[];
  /** Whether a quote is closed before its cell ends. */
  readonly isTorn: boolean;
}

export interface Rows {
  readonly rows: readonly DividedText[];
  /** Where the last of them ends. */
  readonly end: number;
}

/** @param delimiter one character */
export function divider(delimiter: string): (text: string, isLast: boolean) => Rows {
  return (text, isLast) => {
    const rows: DividedText[] = [];
    let cells: string[] = [];
    let isTorn = false;
    let end = 0;
    for (let at = 0; end < text.length; ) {
      const cell = cellAt(text, at, delimiter);
      // What ends with the text may go on in the next piece of it.
      if (!cell || (!isLast && cell.next === text.length && cell.end !== '\n')) break;
      isTorn ||= cell.behind.trim() !== '';
      cells.push(cell.text + cell.behind);
      at = cell.next;
      if (cell.end === delimiter) continue;
      rows.push({ cells, isTorn });
      [cells, isTorn, end] = [[], false, at];
    }
    return { rows, end };
  };
}

interface CellText {
  readonly text: string;
  /** What stands between a closing quote and the end of the cell. */
  readonly behind: string;
  /** What ends the cell: the delimiter, a line break, or nothing where the text ends. */
  readonly end: string;
  /** Where the next cell begins. */
  readonly next: number;
}

/** @returns undefined where a quote is opened and not closed */
function cellAt(text: string, start: number, delimiter: string): CellText | undefined {
  const closing = text[start] === '"' ? closingQuote(text, start) : start;
  if (closing === -1) return undefined;
  const isQuoted = closing > start;
  const rest = isQuoted ? closing + 1 : start;
  const at = endOfPlain(text, rest, delimiter);
  const end = text.startsWith('\r\n', at) ? '\r\n' : text.charAt(at);
  const plain = text.slice(rest, at);
  const within = isQuoted ? text.slice(start + 1, closing).replaceAll('""', '"') : plain;
  return { text: within, behind: isQuoted ? plain : '', end, next: at + end.length };
}

/** @returns where the quote is that closes the one at a place, -1 where none does; doubled ones do not */
function closingQuote(text: string, quote: number): number {
  let at = text.indexOf('"', quote + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOfPlain(text: string, start: number, delimiter: string): number {
  const divides = delimiter.charCodeAt(0);
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === divides || code === 10 || code === 13) return at;
  }
  return text.length;
}
