/**
 * Texts that a spreadsheet would run. Anyone who may write into a record could have the spreadsheet
 * of a person who opens an export send its cells elsewhere, so such a text gets a mark before it,
 * which spreadsheets take for "this is text". A spreadsheet that divides cells by semicolons or tabs finds
 * several cells in one text, and one that knows no quotes ends a row at a line break: each of these parts is
 * marked by itself. A part with marks of its own gets one more, so that taking one away always gives back
 * what was there.
 */

/** What begins a new cell for some reader. */
const divider = /([;|\t\r\n])/;

/**
 * `=`, `+`, `-`, `@`, and their full-width and small forms, perhaps behind what readers may skip: blanks,
 * characters that cannot be seen, and quotes.
 */
const runs = /^'*[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}"]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;

/** Numbers with a sign, and so phones as E.164 writes them, run nothing; before more, they might. */
const number = /^[+-]\d+(?:\.\d+)?$/;

/** Readers may skip these where a text begins, whatever comes behind them. */
const skipped = /^'*[\t\r\n]/;
const markedSkipped = /^'+[\t\r\n]/;

/** @returns the text with a `'` before each part that a spreadsheet might run */
export function defuse(text: string): string {
  if (number.test(text)) return text;
  const parts = text.split(divider).map((part) => (runs.test(part) ? `'${part}` : part));
  return `${skipped.test(text) ? "'" : ''}${parts.join('')}`;
}

/** @returns what {@link defuse} made the text of; any other text as it is */
export function undefuse(text: string): string {
  const from = markedSkipped.test(text) ? text.slice(1) : text;
  return from
    .split(divider)
    .map((part) => (part.startsWith("'") && runs.test(part) ? part.slice(1) : part))
    .join('');
}
