/** From what people write into a cell to what the service reads. */
import type { Kind } from './targets.ts';

/** Reads and writes JSON without rounding long numbers, which is done differently in a browser. */
export interface Json {
  /**
   * What `stringify` writes as this very JSON.
   * @throws {SyntaxError} when the text is not JSON
   */
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

/** A cell's value, or what is wrong with it. */
export type Cell = { readonly value: unknown } | { readonly fault: string };

/** Reads a cell that is not empty. */
export function cellOf(kind: Kind, text: string, json: Json): Cell {
  switch (kind) {
    case 'amount':
      return centsOf(text);
    case 'moment':
      return { value: momentOf(text) };
    case 'json':
      return jsonOf(text, json);
    default:
      return { value: text };
  }
}

const currency = /[\p{Sc}\p{L}\s]/u;
const grouped = /^(-?)(\d{1,3}(?:([.,'\s])\d{3})+|\d+)(?:([.,])(\d{1,2}))?$/;

/** Without signs and names of currencies before and behind, in one pass. */
function withoutCurrency(text: string): string {
  const characters = [...text];
  const isNumber = (character: string) => !currency.test(character);
  const first = characters.findIndex(isNumber);
  return first === -1
    ? ''
    : characters.slice(first, characters.findLastIndex(isNumber) + 1).join('');
}

/** Units as they are written in either half of the world: `R$ 1.234,56`, `1,234.56 USD`, `1234`. */
function centsOf(text: string): Cell {
  const number = withoutCurrency(text);
  const [all, sign = '', whole = '', divider, point, fraction = ''] = grouped.exec(number) ?? [];
  const isAmbiguous = /^-?\d{1,3}[.,]\d{3}$/.test(number);
  if (isAmbiguous) return { fault: 'may be thousands or decimals: write 1234.00 or 1.23' };
  if (all === undefined || (divider !== undefined && divider === point)) {
    return { fault: 'must be an amount such as 1234.56' };
  }
  const cents = BigInt(whole.replace(/\D/g, '') + fraction.padEnd(2, '0'));
  return { value: String(sign === '' ? cents : -cents) };
}

const written =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:UTC|GMT|Z|[+-]00:?00)?)?$/i;

/** A day begins in UTC, as does a time that names no zone. Anything else is the service's to refuse. */
function momentOf(text: string): string {
  const [, day, time = '00:00:00'] = written.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}

function jsonOf(text: string, { parse }: Json): Cell {
  try {
    return { value: parse(text) };
  } catch {
    return { fault: 'must be JSON' };
  }
}
