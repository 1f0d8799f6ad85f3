/**
 * JSON that loses nothing. `JSON.parse` rounds long numbers and reorders integer-like keys; what
 * clients store as `custom_attributes` must come back exactly as sent, and an id must never be
 * read as its neighbour. So a parsed object remembers its own text, a number that JavaScript
 * cannot hold is a value of its own, and stored JSON text is written into an answer untouched.
 */
import { randomBytes } from 'node:crypto';

/** Deeper than any honest record, well within what PostgreSQL's own parser can take. */
const deepest = 1000;

/** A number that a JavaScript number would alter, kept as it was written. */
export class InexactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is a JSON object, which neither a list nor a kept number is. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof InexactNumber);

/** Well-formed JSON that is nested deeper than the service takes. */
export class TooDeep extends Error {
  constructor() {
    super(`is nested deeper than ${deepest} levels`);
  }
}

const sources = new WeakMap<object, string>();

/**
 * Parses JSON as `JSON.parse` does (the last of equal keys wins), with numbers that would be
 * altered as {@link InexactNumber}, and every object's text kept for {@link sourceOf}.
 * @throws {SyntaxError} when it is not JSON
 * @throws {TooDeep}
 */
export function parseJson(text: string): unknown {
  const root = { value: JSON.parse(text) as unknown };
  annotate(text, root);
  return root.value;
}

/** The JSON text of a value: as it was received, where it was. */
export function sourceOf(value: object): string {
  return sources.get(value) ?? JSON.stringify(value);
}

type Holder = Record<string | number, unknown>;

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

/** Walks text that is known to be valid JSON beside the value that was parsed from it. */
function annotate(text: string, root: { value: unknown }): void {
  let at = 0;

  const blank = () => {
    for (;;) {
      const c = text.charCodeAt(at);
      if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return c;
      at++;
    }
  };
  const string = (): string => {
    const start = at++;
    let escaped = false;
    for (;;) {
      const c = text.charCodeAt(at++);
      if (c === 34) break;
      if (c === 92) {
        escaped = true;
        at++;
      }
    }
    return escaped ? JSON.parse(text.slice(start, at)) : text.slice(start + 1, at - 1);
  };
  const number = (holder: Holder | undefined, key: string | number) => {
    const start = at;
    while ('0123456789+-.eE'.includes(text.charAt(at)) && at < text.length) at++;
    const token = text.slice(start, at);
    if (holder === undefined) return;
    // Of equal keys an earlier one is walked beside the value of the last: only a number's
    // place may be touched, and the last walk sets it right.
    const current = holder[key];
    if (isExact(token)) {
      if (current instanceof InexactNumber) holder[key] = Number(token);
    } else if (typeof current === 'number') {
      holder[key] = new InexactNumber(token);
    }
  };
  const value = (holder: Holder | undefined, key: string | number, depth: number): void => {
    const c = blank();
    if (c === 34) {
      string();
    } else if (c === 123 || c === 91) {
      if (depth > deepest) throw new TooDeep();
      const inner = holder?.[key];
      const start = at++;
      const own =
        isHolder(inner) && !(inner instanceof InexactNumber) && Array.isArray(inner) === (c === 91)
          ? inner
          : undefined;
      if (c === 123) members(own, depth);
      else elements(own, depth);
      if (own && c === 123) sources.set(own, text.slice(start, at));
    } else if (c === 45 || (c >= 48 && c <= 57)) {
      number(holder, key);
    } else {
      at += c === 102 ? 5 : 4; // false, true, null
    }
  };
  const members = (own: Holder | undefined, depth: number) => {
    if (blank() === 125) {
      at++;
      return;
    }
    for (;;) {
      blank();
      const key = string();
      blank();
      at++; // :
      value(own, key, depth + 1);
      if (blank() === 125) break;
      at++; // ,
    }
    at++;
  };
  const elements = (own: Holder | undefined, depth: number) => {
    if (blank() === 93) {
      at++;
      return;
    }
    for (let index = 0; ; index++) {
      value(own, index, depth + 1);
      if (blank() === 93) break;
      at++; // ,
    }
    at++;
  };
  value(root, 'value', 0);
}

function isExact(token: string): boolean {
  if (/^-?\d{1,15}$/.test(token)) return true;
  const number = Number(token);
  return Number.isFinite(number) && canonical(token) === canonical(String(number));
}

/** Digits and exponent, the same for every way of writing one number. */
function canonical(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  // Not by a pattern: one that must end the text begins anew at every zero.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

// Unguessable, so that no client's text can stand where stored JSON is to be put in.
const mark = randomBytes(12).toString('hex');
const marks = new RegExp(`"${mark}:(\\d+)"`, 'g');
let embedded: string[] = [];

/** JSON text that an answer carries as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return `${mark}:${embedded.push(this.text) - 1}`;
  }
}

/** `JSON.stringify`, with every {@link JsonText} written as the JSON that it holds. */
export function stringifyJson(value: unknown): string {
  embedded = [];
  const text = JSON.stringify(value);
  if (embedded.length === 0) return text;
  const texts = embedded;
  embedded = [];
  return text.replace(marks, (_, index) => texts[Number(index)] ?? 'null');
}
