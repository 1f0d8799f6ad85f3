/** Writing CSV (RFC 4180) that people open in spreadsheets. */
import { defuse } from './formula.ts';

/** What a cell is made of; nothing and null are an empty one. */
export type Cell = string | number | boolean | null | undefined;

/**
 * One row. Texts that a spreadsheet would run are defused, and whatever might end a cell for any reader is
 * in quotes: also what ends one where semicolons, tabs or bars do.
 * @returns the row with the line break that ends it
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

const special = /[",;|\t\r\n]|^\s|\s$/;

function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = defuse(cell);
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Several texts in one cell, divided by commas, as a list of labels may be sent. In quotes is what would be
 * divided there or by the import, or would look like a list in JSON.
 */
export const listCell = (texts: readonly string[]): string =>
  texts
    .map((text) => (/[",;]|:::|^\[/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(', ');
