/**
 * JSON read a part at a time. In one go a text of many kilobytes would block everybody else, and the longer
 * the more keys an object has.
 */
import { endOfString } from './text.ts';
import { deepest, Excess } from './walk.ts';

/** Characters of members or elements that are parsed in one go. */
const partLength = 32 * 1024;

type Holder = unknown[] | Record<string, unknown>;

/** An object or a list of which not everything has been read. */
interface OpenValue {
  readonly start: number;
  readonly holder: Holder;
  readonly close: ']' | '}';
  /** Under which it stands in an object. */
  readonly key: string;
}

export interface PartReader {
  /**
   * Parses an object or a list that holds a part of what another does.
   * @param depth how many objects and lists are around that one
   */
  read(text: string, depth: number): unknown;
  /** Is called with each object that was put together from parts, and with its whole text. */
  keep(object: object, text: string): void;
}

/** Parses as `JSON.parse` does and keeps nothing of the text. */
const plain: PartReader = { read: (text) => JSON.parse(text), keep: () => undefined };

/**
 * Parses a text as `JSON.parse` does (the last of equal keys wins).
 * @yields after each part
 * @throws {SyntaxError} when it is not JSON, with its place as `JSON.parse` says it
 * @throws {Excess} when it is nested too deep
 */
export function* parsePartwise(text: string, reader = plain): Generator<void, unknown> {
  const start = endOfSpace(text, 0);
  if (text.length <= partLength || !isOpening(text[start])) return reader.read(text, 0);
  return yield* new Parser(text, reader).parse(start);
}

class Parser {
  readonly #text: string;
  readonly #reader: PartReader;
  readonly #open: OpenValue[] = [];
  #at = 0;
  /** Where the members begin and end that have been passed and not been parsed. */
  #passed: { readonly start: number; readonly end: number } | undefined;
  #root: unknown;

  constructor(text: string, reader: PartReader) {
    this.#text = text;
    this.#reader = reader;
  }

  *parse(start: number): Generator<void, unknown> {
    this.#begin(start, '');
    for (let top = this.#top(); top; top = this.#top()) {
      const isEmpty = this.#at === endOfSpace(this.#text, top.start + 1);
      if (!(isEmpty && this.#text[this.#at] === top.close)) {
        const length = this.#passMember(top);
        if (length !== 'short' || this.#lengthPassed() > partLength) {
          this.#parsePassed(top);
          yield;
        }
        if (length === 'long text') yield* this.#readText(top);
        if (length === 'long') {
          this.#beginMember(top);
          continue;
        }
      }
      this.#endMember();
    }
    if (this.#at < this.#text.length) throw unexpected(this.#text, this.#at);
    return this.#root;
  }

  #top(): OpenValue | undefined {
    return this.#open.at(-1);
  }

  #begin(start: number, key: string): void {
    if (this.#open.length > deepest) throw new Excess(`is nested deeper than ${deepest} levels`);
    const isList = this.#text[start] === '[';
    this.#open.push({ start, holder: isList ? [] : {}, close: isList ? ']' : '}', key });
    this.#at = endOfSpace(this.#text, start + 1);
  }

  /** Goes into a member that is too long to be passed. */
  #beginMember({ close }: OpenValue): void {
    const key = this.#text.slice(this.#at, endOfString(this.#text, this.#at));
    const name = close === '}' ? inPlace(this.#at, () => JSON.parse(key)) : '';
    this.#begin(this.#startOfValue(close), name);
  }

  /** Passes a member that is short enough to be parsed in one go, and stays at any other. */
  #passMember({ close }: OpenValue): 'short' | 'long text' | 'long' {
    const start = this.#startOfValue(close);
    const end = endOfValue(this.#text, start);
    if (end === undefined) return 'long';
    if (end - start > partLength && this.#text[start] === '"') return 'long text';
    this.#passed = { start: this.#passed?.start ?? this.#at, end };
    this.#at = endOfSpace(this.#text, end);
    return 'short';
  }

  /** Reads a member whose value is a long string. */
  *#readText({ holder, close }: OpenValue): Generator<void, void> {
    const start = this.#startOfValue(close);
    const key = close === '}' ? yield* this.#textAt(this.#at) : '';
    put(holder, key, yield* this.#textAt(start));
    this.#at = endOfSpace(this.#text, endOfString(this.#text, start));
  }

  /** Reads the string that begins at a quote. */
  *#textAt(quote: number): Generator<void, string> {
    const end = endOfString(this.#text, quote);
    let text = '';
    for (let at = quote + 1; ; ) {
      const next = at + partLength < end ? beforeEscape(this.#text, at, at + partLength) : end;
      // The last part has the quote that ends the string, or is told to lack it.
      const part = `"${this.#text.slice(at, next)}${next < end ? '"' : ''}`;
      text += String(inPlace(at - 1, () => JSON.parse(part)));
      if (next === end) return text;
      at = next;
      yield;
    }
  }

  /** Where the value of a member begins, behind its key in an object. */
  #startOfValue(close: ']' | '}'): number {
    const text = this.#text;
    if (close === ']') return this.#at;
    if (text[this.#at] !== '"') throw unexpected(text, this.#at);
    const colon = endOfSpace(text, endOfString(text, this.#at));
    if (text[colon] !== ':') throw unexpected(text, colon);
    return endOfSpace(text, colon + 1);
  }

  /** Goes on behind a member: ends what ends with it, and passes the comma before the next. */
  #endMember(): void {
    for (let top = this.#top(); top; top = this.#top()) {
      const character = this.#text[this.#at];
      if (character === ',') {
        this.#at = endOfSpace(this.#text, this.#at + 1);
        return;
      }
      if (character !== top.close) throw unexpected(this.#text, this.#at);
      this.#parsePassed(top);
      this.#end(top);
    }
  }

  #end({ holder, start, key, close }: OpenValue): void {
    if (close === '}') this.#reader.keep(holder, this.#text.slice(start, this.#at + 1));
    this.#open.pop();
    const around = this.#top();
    if (around) put(around.holder, key, holder);
    else this.#root = holder;
    this.#at = endOfSpace(this.#text, this.#at + 1);
  }

  #lengthPassed(): number {
    return this.#passed ? this.#passed.end - this.#passed.start : 0;
  }

  #parsePassed({ holder, close }: OpenValue): void {
    if (!this.#passed) return;
    const { start, end } = this.#passed;
    this.#passed = undefined;
    const members = this.#text.slice(start, end);
    const part = close === ']' ? `[${members}]` : `{${members}}`;
    const parsedMembers = inPlace(start - 1, () => this.#reader.read(part, this.#open.length - 1));
    for (const [key, value] of Object.entries(Object(parsedMembers))) put(holder, key, value);
  }
}

function put(holder: Holder, key: string, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else if (key !== '__proto__') holder[key] = value;
  // Assigned, it would become what the object inherits from.
  else
    Object.defineProperty(holder, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

const isOpening = (character: string | undefined): boolean =>
  character === '{' || character === '[';

/** @returns where the blanks end that begin at `start`: those of JSON alone */
function endOfSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === 32 || c === 10 || c === 13 || c === 9) at++;
    else return at;
  }
}

/**
 * @returns where a value ends, if it is one; undefined of an object or a list that is longer than a part, or
 *   has no end
 */
function endOfValue(text: string, start: number): number | undefined {
  if (text[start] === '"') return endOfString(text, start);
  const last = Math.min(text.length, start + partLength);
  if (!isOpening(text[start])) {
    let at = start;
    while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at++;
    if (at === start) throw unexpected(text, start);
    return at;
  }
  let depth = 0;
  for (let at = start; at < last; ) {
    const c = text.charCodeAt(at);
    if (c === 34) {
      at = endOfString(text, at);
      continue;
    }
    if (c === 123 || c === 91) depth += 1;
    else if (c === 125 || c === 93) depth -= 1;
    at++;
    if (depth === 0) return at;
  }
  return undefined;
}

/**
 * @param start a place in a string that is within no escape sequence
 * @returns the place `end`, or the last one before it that is within no escape sequence either
 */
function beforeEscape(text: string, start: number, end: number): number {
  // The longest, \uXXXX, has five characters behind its first.
  const from = Math.max(start, end - 5);
  const last = text.slice(from, end).lastIndexOf('\\');
  if (last === -1) return end;
  const slash = from + last;
  let first = slash;
  while (first > start && text[first - 1] === '\\') first--;
  return (slash - first) % 2 === 0 ? slash : end;
}

const unexpected = (text: string, at: number): SyntaxError =>
  new SyntaxError(
    at < text.length ? `Unexpected token at position ${at}` : 'Unexpected end of JSON input',
  );

/** Parses what begins at `start`; an error says where it is in the whole text. */
function inPlace<T>(start: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(
      error.message.replace(/at position (\d+)/, (_, at) => `at position ${start + Number(at)}`),
    );
  }
}
