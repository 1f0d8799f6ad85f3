/**
 * Dividing text into rows and cells (RFC 4180). Libraries that do it are larger than all that the console may
 * still grow by, or cannot take a file in pieces; the tests hold this beside one of them.
 */

export interface Divided {
  readonly cells: readonly string[];
  /** Whether a quote is closed before its cell ends. */
  readonly isTorn: boolean;
}

export interface Rows {
  readonly rows: readonly Divided[];
  /** Where the last of them ends. */
  readonly end: number;
}

/** @param delimiter one character */
export function divider(delimiter: string): (text: string, isLast: boolean) => Rows {
  const divides = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const plain = `[^${divides}\\r\\n]*`;
  const quoted = `"([^"]*(?:""[^"]*)*)"(?!")(${plain})`;
  const end = `(${divides}|\\r\\n|\\r|\\n|$)`;
  const cell = new RegExp(`(?:${quoted}|(?!")(${plain}))${end}`, 'y');
  return (text, isLast) => {
    const rows: Divided[] = [];
    let cells: string[] = [];
    let isTorn = false;
    let done = 0;
    cell.lastIndex = 0;
    while (done < text.length) {
      const found = cell.exec(text);
      // What ends with the text may go on in the next piece of it.
      if (!found || (!isLast && cell.lastIndex === text.length && found[4] !== '\n')) break;
      const [, within, behind = '', unquoted = '', end] = found;
      isTorn ||= behind.trim() !== '';
      cells.push(within === undefined ? unquoted : within.replaceAll('""', '"') + behind);
      if (end === delimiter) continue;
      rows.push({ cells, isTorn });
      [cells, isTorn, done] = [[], false, cell.lastIndex];
    }
    return { rows, end: done };
  };
}
