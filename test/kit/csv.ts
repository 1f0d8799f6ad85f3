/** Reads CSV exactly as RFC 4180 has it, and no other. */

const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;

/** @throws when the text is something else */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; at = field.lastIndex) {
    field.lastIndex = at;
    const found = field.exec(text);
    if (!found) throw new Error(`no CSV: ${JSON.stringify(text.slice(at, at + 100))}`);
    const [, quoted, plain = '', end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row has no end');
  return rows;
}
