/** From what people write into a cell to what the service reads. */
import { centsOf } from './amounts.ts';
import { plainName } from './headers.ts';
import { labelsIn } from './labels.ts';
import { type DayOrder, momentOf } from './moments.ts';
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

/**
 * Reads a cell that is not empty.
 * @param order see {@link momentOf}
 */
export function cellOf(kind: Kind, text: string, json: Json, order?: DayOrder): Cell {
  switch (kind) {
    case 'amount':
      return centsOf(text);
    case 'code':
      return codeOf(text);
    case 'flag':
      return { value: flags.get(text.toLowerCase()) ?? text };
    case 'integer':
      return { value: text.replace(zeros, '') };
    case 'labels':
      return labelsOf(text);
    case 'moment':
      return momentOf(text, order);
    case 'phone':
      return codeOf(text.replace(/^(\+?\d{5,})\.0$/, '$1'));
    case 'json':
      return jsonOf(text, json);
    case 'word':
      return { value: spoken.get(plainName(text)) ?? text.toLowerCase() };
    default:
      return { value: text };
  }
}

/** How a spreadsheet shows digits for which a column is too narrow: most of them are gone. */
const shortened = /^[+-]?\d+(?:[.,]\d+E[+-]?|E[+-])\d+$/i;

/** Reads what identifies something. */
export const codeOf = (text: string): Cell =>
  shortened.test(text)
    ? { fault: `was shortened by a spreadsheet: ${text} has lost its last digits` }
    : { value: text };

/** Spreadsheets add them to integers. Three might be a group of digits. */
const zeros = /(?<=^-?\d+)[.,]0{1,2}$/;

/** Yes and no as spreadsheets and people write them; the service refuses all else. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...words('true yes y x 1 on ✓ ✔ wahr ja j verdadeiro sim s verdadero sí si vrai oui vero', true),
  ...words('false no n 0 off falsch nein falso não nao faux non', false),
]);

function words(text: string, value: boolean): readonly (readonly [string, boolean])[] {
  return text.split(' ').map((word) => [word, value] as const);
}

/** Statuses and kinds of events in the languages that names of columns may have. */
const spoken: ReadonlyMap<string, string> = new Map([
  ...spellings('aberto, em aberto, abierto, en curso, offen', 'open'),
  ...spellings('ganho, ganha, ganado, ganada, gewonnen', 'won'),
  ...spellings('perdido, perdida, verloren', 'lost'),
  ...spellings('nota, anotacao, notiz', 'note'),
  ...spellings('atividade, tarefa, actividad, tarea, aktivitat, aufgabe, task', 'activity'),
]);

function spellings(text: string, value: string): readonly (readonly [string, string])[] {
  return text.split(', ').map((name) => [name, value] as const);
}

/** Several labels, as a list in JSON or divided by commas or semicolons. */
function labelsOf(text: string): Cell {
  const list = text.startsWith('[') ? readList(text) : undefined;
  if (list === undefined) return { value: labelsIn(text) };
  const isWord = (one: unknown) => typeof one === 'string' || Number.isSafeInteger(one);
  return list.every(isWord) ? { value: list.map(String) } : { fault: 'must be a list of texts' };
}

function readList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function jsonOf(text: string, { parse }: Json): Cell {
  try {
    return { value: parse(text) };
  } catch {
    return { fault: 'must be JSON' };
  }
}
