/** JSON as text, which is valid unless something else is said. */

/**
 * @returns where the string with the opening quote at `quote` ends: behind its closing quote, or at
 *   the end of a text that is not JSON
 */
export function endOfString(text: string, quote: number): number {
  let at = quote + 1;
  for (;;) {
    // A search for the next quote is worth its call in long strings alone.
    for (const near = at + 16; at < near; at++) {
      const c = text.charCodeAt(at);
      if (c === 34) return at + 1;
      if (c === 92) at++;
    }
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    let before = end;
    while (text.charCodeAt(before - 1) === 92) before--;
    if ((end - before) % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** @returns where the blanks end that begin at `start`, if any do */
export function endOfBlanks(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

/** @returns where the number ends that begins at `start` */
export function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c >= 48 && c <= 57) at++;
    else if (c === 46 || c === 69 || c === 101 || c === 43 || c === 45) at++;
    else return at;
  }
}

/**
 * Whether bytes, JSON or not, hold more than `max` values: the whole, and all that is in it. Of bytes rather
 * than of their text, which need not be made of what holds too many.
 */
export function hasMoreValues(bytes: Uint8Array, max: number): boolean {
  let values = 1;
  let isString = false;
  // Whether the next value is the first of an object or list; each other one stands behind a comma.
  let isFirst = false;
  for (let at = 0; at < bytes.length && values <= max; at++) {
    const c = bytes[at] ?? 0;
    if (isString) {
      if (c === 92) at++;
      else isString = c !== 34;
      continue;
    }
    if (c <= 32) continue;
    if (isFirst && c !== 93 && c !== 125) values++;
    isFirst = c === 91 || c === 123;
    isString = c === 34;
    if (c === 44) values++;
  }
  return values > max;
}

/** How many keys are written in a text, those counted each time that an object has twice. */
export function countKeys(text: string): number {
  let keys = 0;
  for (let at = 0; at < text.length; ) {
    const c = text.charCodeAt(at);
    if (c === 58) keys++;
    at = c === 34 ? endOfString(text, at) : at + 1;
  }
  return keys;
}

/** @returns the string that lies between two places, with its quotes */
export function readString(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written;
}

/** A text as it was written, or the parts of a list or of an object by their keys. */
type Node = string | Node[] | Map<string, Member>;

interface Member {
  /** As it was written, with its quotes. */
  readonly key: string;
  readonly value: Node;
}

/**
 * The text of the same value in which no object has a key twice: the last value stands in the place
 * of the first, as `JSON.parse` has it. What is written of keys, strings and numbers stays.
 */
export function withKeysOnce(text: string): string {
  return written(new Reader(text).value());
}

/**
 * A text with a patch merged into it, as RFC 7396 has it: null removes a key, an object is merged into
 * the one that is there, anything else replaces what is there. What the patch does not name stays as it
 * was written, and in its place; new keys come last.
 * @returns the very text that was given where the patch changes nothing
 */
export function mergePatch(text: string, patch: string): string {
  const before = new Reader(text).value();
  const unchanged = written(before);
  const merged = written(patched(before, new Reader(patch).value()));
  return merged === unchanged ? text : merged;
}

function patched(target: Node | undefined, patch: Node): Node {
  if (!(patch instanceof Map)) return patch;
  const members = target instanceof Map ? target : new Map<string, Member>();
  for (const [name, { key, value }] of patch) {
    const member = members.get(name);
    if (value === 'null') members.delete(name);
    else members.set(name, { key: member?.key ?? key, value: patched(member?.value, value) });
  }
  return members;
}

/**
 * One object of the keys of several, each with the value of the first that has it, as it was written there.
 * @returns the very text of the first where the others add nothing
 */
export function uniteKeys(first: string, others: readonly string[]): string {
  const members = new Map<string, Member>();
  const add = (text: string) => {
    const object = new Reader(text).value();
    if (!(object instanceof Map)) return;
    for (const [name, member] of object) if (!members.has(name)) members.set(name, member);
  };
  add(first);
  const own = members.size;
  for (const text of others) add(text);
  return members.size > own ? written(members) : first;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Node {
    switch (this.#next()) {
      case '{':
        return this.#members();
      case '[':
        return this.#elements();
      default:
        return this.#scalar();
    }
  }

  /** The next character that is not a blank. */
  #next(): string {
    this.#at = endOfBlanks(this.#text, this.#at);
    return this.#text.charAt(this.#at);
  }

  #scalar(): string {
    const start = this.#at;
    if (this.#text.charAt(start) === '"') this.#at = endOfString(this.#text, start);
    else while (/[\w+.-]/.test(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #elements(): Node[] {
    const elements: Node[] = [];
    for (this.#at++; this.#next() !== ']'; ) {
      if (this.#next() === ',') this.#at++;
      elements.push(this.value());
    }
    this.#at++;
    return elements;
  }

  #members(): Map<string, Member> {
    // A key that a Map has keeps its place.
    const members = new Map<string, Member>();
    for (this.#at++; this.#next() !== '}'; ) {
      if (this.#next() === ',') this.#at++;
      this.#next();
      const key = this.#scalar();
      this.#next();
      this.#at++; // :
      members.set(readString(key, 0, key.length), { key, value: this.value() });
    }
    this.#at++;
    return members;
  }
}

function written(node: Node): string {
  const pieces: string[] = [];
  write(node, pieces);
  return pieces.join('');
}

function write(node: Node, pieces: string[]): void {
  if (typeof node === 'string') {
    pieces.push(node);
  } else if (node instanceof Map) {
    pieces.push('{');
    let comma = '';
    for (const { key, value } of node.values()) {
      pieces.push(comma, key, ':');
      write(value, pieces);
      comma = ',';
    }
    pieces.push('}');
  } else {
    pieces.push('[');
    for (const [index, element] of node.entries()) {
      if (index > 0) pieces.push(',');
      write(element, pieces);
    }
    pieces.push(']');
  }
}
