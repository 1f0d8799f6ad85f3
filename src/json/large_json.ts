/**
 * Reading and writing JSON of many megabytes, which would block everybody else for a tenth of a second
 * if it were done in one go.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { JsonText, stringifyJson } from './json.ts';
import { endOfString, readString } from './text.ts';

/** Characters or tokens after which the event loop gets a turn. */
const slice = { characters: 256 * 1024, tokens: 5000 } as const;

type Holder = unknown[] | Record<string, unknown>;

/**
 * @param text valid JSON as PostgreSQL writes it, in which no object has a key twice
 * @returns what `JSON.parse` would, built in parts between which the event loop turns
 */
export async function parseLargeJson(text: string): Promise<unknown> {
  const parser = new Parser(text);
  while (!parser.goOn()) await turn();
  return parser.value;
}

/** The same of a text that may be short, which is parsed at once. */
export const parseAnyJson = async (text: string): Promise<unknown> =>
  text.length > slice.characters ? parseLargeJson(text) : JSON.parse(text);

class Parser {
  readonly #text: string;
  readonly #literal = /[^,\]}\s]+/y;
  readonly #open: Holder[] = [];
  /** Keys of the open objects; that of a list stays unused. */
  readonly #keys: string[] = [];
  #at = 0;
  /** Whether the next text is a key. */
  #isKey = false;
  value: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads on for a slice; says whether the end was reached. */
  goOn(): boolean {
    const end = this.#at + slice.characters;
    for (let tokens = 0; tokens < slice.tokens && this.#at < end; tokens++) {
      if (this.#at >= this.#text.length) return true;
      this.#token();
    }
    return this.#at >= this.#text.length;
  }

  #token(): void {
    switch (this.#text[this.#at]) {
      case '{':
        this.#begin({});
        break;
      case '[':
        this.#begin([]);
        break;
      case '}':
      case ']':
        this.#open.pop();
        this.#keys.pop();
        this.#at += 1;
        break;
      case ',':
        this.#isKey = !Array.isArray(this.#open.at(-1));
        this.#at += 1;
        break;
      case '"':
        this.#string();
        break;
      case ':':
      case ' ':
      case '\n':
        this.#at += 1;
        break;
      default:
        this.#other();
    }
  }

  #begin(holder: Holder): void {
    this.#put(holder);
    this.#open.push(holder);
    this.#keys.push('');
    this.#isKey = !Array.isArray(holder);
    this.#at += 1;
  }

  #string(): void {
    const start = this.#at;
    this.#at = endOfString(this.#text, start);
    const read = readString(this.#text, start, this.#at);
    if (this.#isKey) this.#keys[this.#keys.length - 1] = read;
    else this.#put(read);
    this.#isKey = false;
  }

  #other(): void {
    this.#literal.lastIndex = this.#at;
    const token = this.#literal.exec(this.#text)?.[0] ?? '';
    this.#at += token.length;
    this.#put(JSON.parse(token));
  }

  #put(value: unknown): void {
    const holder = this.#open.at(-1);
    if (!holder) this.value = value;
    else if (Array.isArray(holder)) holder.push(value);
    else holder[this.#keys.at(-1) ?? ''] = value;
  }
}

/** Levels of objects and lists above the records of an answer, and above what hangs on one. */
const levels = 4;

/**
 * @param value an answer, no single record of which is large
 * @returns what `stringifyJson` would, written in parts between which the event loop turns
 */
export async function stringifyLargeJson(value: unknown): Promise<string> {
  const written: string[] = [];
  let characters = 0;
  for (const text of parts(value, levels)) {
    written.push(text);
    characters += text.length;
    if (characters < slice.characters) continue;
    characters = 0;
    await turn();
  }
  return written.join('');
}

function* parts(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null || value instanceof JsonText) {
    yield stringifyJson(value);
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) {
      if (index > 0) yield ',';
      yield* parts(element, depth - 1);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* parts(member, depth - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}
