/** What `JSON.parse` loses of a text, brought to the value that it made of it. */

import { isShort, LongNumber } from './long_number.ts';
import { SourceText } from './source.ts';
import { endOfBlanks, endOfNumber, endOfString, readString } from './text.ts';

/** Deeper than any honest record, and well within what PostgreSQL's parser can take. */
export const deepest = 1000;

/** Well-formed JSON that exceeds a limit; the message says which. */
export class Excess extends Error {}

/** An object or a list, by the keys or indices of what is in it. */
export type Holder = Record<string | number, unknown>;

const isHolder = (value: unknown): value is Holder =>
  typeof value === 'object' && value !== null && !(value instanceof LongNumber);

/** A member's own value, and not what every object inherits under that key. */
const memberAt = (holder: Holder, key: string | number): unknown =>
  key === '__proto__' && !Object.hasOwn(holder, key) ? undefined : holder[key];

/**
 * Walks text that is known to be valid JSON beside the value that was parsed from it. Of equal keys
 * the earlier are walked beside the value of the last, which is put right when that is walked.
 */
export class Walk {
  readonly #text: string;
  #hasLong = false;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * @param start of the value
   * @param holder of the value
   * @param keyStart where its key is written; in a list, its index
   * @param keyEnd 0 in a list
   * @returns where the value ends
   */
  value(start: number, holder: Holder, keyStart: number, keyEnd: number, depth: number): number {
    const c = this.#text.charCodeAt(start);
    if (c === 34) return endOfString(this.#text, start);
    if (c === 123 || c === 91) {
      const beside = memberAt(holder, this.#key(keyStart, keyEnd));
      const isOwn = isHolder(beside) && Array.isArray(beside) === (c === 91);
      return this.#container(start, isOwn ? beside : undefined, keyEnd === 0, depth);
    }
    if (c > 57) return start + (c === 102 ? 5 : 4); // false, true, null
    const end = endOfNumber(this.#text, start);
    if (this.#hasLong || !isShort(this.#text, start, end)) {
      this.#number(this.#text.slice(start, end), holder, this.#key(keyStart, keyEnd));
    }
    return end;
  }

  /** @param own what was made of it, unless that was of a later equal key and of another kind */
  #container(start: number, own: Holder | undefined, inList: boolean, depth: number): number {
    if (depth > deepest) throw new Excess(`is nested deeper than ${deepest} levels`);
    const text = this.#text;
    const first = endOfBlanks(text, start + 1);
    if (text.charCodeAt(start) === 91) return this.#elements(first, own ?? {}, depth);
    const end = this.#members(first, own ?? {}, depth);
    // An empty one in a list has nothing to keep.
    if (own && !(inList && text.charCodeAt(first) === 125)) {
      SourceText.keep(own, text.slice(start, end));
    }
    return end;
  }

  #key(start: number, end: number): string | number {
    return end === 0 ? start : readString(this.#text, start, end);
  }

  #number(token: string, holder: Holder, key: string | number): void {
    const current = memberAt(holder, key);
    const number = current instanceof LongNumber ? Number(token) : current;
    if (typeof number !== 'number') return;
    const isKept = isShort(token, 0, token.length) || isSafeInteger(token, number);
    if (!isKept) this.#hasLong = true;
    holder[key] = isKept ? number : new LongNumber(token);
  }

  #elements(start: number, own: Holder, depth: number): number {
    const text = this.#text;
    let at = start;
    if (text.charCodeAt(at) === 93) return at + 1;
    for (let index = 0; ; index++) {
      at = endOfBlanks(text, this.value(at, own, index, 0, depth + 1));
      if (text.charCodeAt(at) === 93) return at + 1;
      at = endOfBlanks(text, at + 1); // ,
    }
  }

  #members(start: number, own: Holder, depth: number): number {
    const text = this.#text;
    let at = start;
    if (text.charCodeAt(at) === 125) return at + 1;
    for (;;) {
      const keyEnd = endOfString(text, at);
      const valueAt = endOfBlanks(text, endOfBlanks(text, keyEnd) + 1); // :
      at = endOfBlanks(text, this.value(valueAt, own, at, keyEnd, depth + 1));
      if (text.charCodeAt(at) === 125) return at + 1;
      at = endOfBlanks(text, at + 1); // ,
    }
  }
}

const isSafeInteger = (token: string, number: number): boolean =>
  Number.isSafeInteger(number) && token.length <= 17 && /^-?\d+$/.test(token);
