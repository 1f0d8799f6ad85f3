/**
 * Texts that a spreadsheet would run. Anyone who may write into a record could have the spreadsheet
 * of a person who opens an export send its cells elsewhere, so such a text gets a mark before it,
 * which spreadsheets take for "this is text". A text with marks of its own gets one more, so that
 * taking one away always gives back what was there.
 */

/**
 * `=`, `+`, `-`, `@` and their full-width forms, perhaps behind blanks; and what readers may skip
 * to get to one.
 */
const runs = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;
const marked = /^'+(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

/** Numbers with a sign, and so phones as E.164 writes them, run nothing. */
const number = /^[+-]\d+(?:\.\d+)?$/;

/** @returns the text with a `'` before it if a spreadsheet might run it */
export const defuse = (text: string): string =>
  runs.test(text) && !number.test(text) ? `'${text}` : text;

/** @returns what {@link defuse} made the text of; any other text as it is */
export const undefuse = (text: string): string => (marked.test(text) ? text.slice(1) : text);
