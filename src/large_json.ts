/**
 * Reading and writing JSON of many megabytes, which in one go would keep everybody else waiting for
 * a tenth of a second.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { JsonText, stringifyJson } from './json.ts';

/** Characters, or tokens, after which others have their turn. */
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
    let end = this.#text.indexOf('"', start + 1);
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end + 1;
    const inner = this.#text.slice(start + 1, end);
    const read: string = inner.includes('\\')
      ? JSON.parse(this.#text.slice(start, this.#at))
      : inner;
    if (this.#isKey) this.#keys[this.#keys.length - 1] = read;
    else this.#put(read);
    this.#isKey = false;
  }

  /** Whether an odd number of backslashes stands before a character. */
  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#text[before - 1] === '\\') before -= 1;
    return (at - before) % 2 === 1;
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
    yield* enclosed(
      '[',
      value.map((one) => ['', one] as const),
      ']',
      depth,
    );
  } else {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    yield* enclosed(
      '{',
      members.map(([key, one]) => [`${JSON.stringify(key)}:`, one] as const),
      '}',
      depth,
    );
  }
}

function* enclosed(
  open: string,
  members: readonly (readonly [string, unknown])[],
  close: string,
  depth: number,
): Generator<string> {
  let before = open;
  for (const [key, value] of members) {
    yield before + key;
    yield* parts(value, depth - 1);
    before = ',';
  }
  yield members.length === 0 ? open + close : close;
}
