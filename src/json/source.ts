/** The JSON text that objects were made of. */
import { LongNumber } from './long_number.ts';
import { countKeys, withKeysOnce } from './text.ts';

/** A text of which it is known that no object in it has a key twice. */
class UniqueKeyText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Makes an object that `JSON.parse` made one of the class that extends this, so that it gets its private field. */
class Stamped {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the object is not made here
    return object;
  }
}

/**
 * A private field of objects that `JSON.parse` made: the text that they were made of. Nobody sees
 * it, and it costs what a property does; an entry of a WeakMap costs thirty times as much, and a
 * large body has hundreds of thousands of objects.
 */
export class SourceText extends Stamped {
  #text: string | (() => string) | UniqueKeyText;

  private constructor(object: object, text: string | (() => string)) {
    super(object);
    this.#text = text;
  }

  /** @param text or what composes it, if ever anybody asks */
  static keep(object: object, text: string | (() => string)): void {
    if (#text in object) object.#text = text;
    else new SourceText(object, text);
  }

  static textOf(object: object): string | undefined {
    if (!(#text in object)) return undefined;
    const source = object.#text;
    if (source instanceof UniqueKeyText) return source.text;
    const text = typeof source === 'string' ? source : source();
    const decided = new UniqueKeyText(countKeys(text) > keysOf(object) ? withKeysOnce(text) : text);
    object.#text = decided;
    return decided.text;
  }
}

/** How many keys there are in a value. */
function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof LongNumber) return 0;
  const own = Array.isArray(value) ? 0 : 1;
  let keys = 0;
  for (const inner of Object.values(value)) keys += own + keysOf(inner);
  return keys;
}

/** Says what the text of an object is that was not parsed from one. */
export const keepSource = (object: object, compose: () => string): void =>
  SourceText.keep(object, compose);

/**
 * The JSON text of a value: of an object as it was received, of anything else put together from its
 * parts. Of a key that an object was sent with twice the last value stands in the place of the
 * first, as `JSON.parse` has it.
 */
export function sourceOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (value instanceof LongNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(',')}]`;
  return SourceText.textOf(value) ?? `{${Object.entries(value).map(member).join(',')}}`;
}

const member = ([key, value]: [string, unknown]) => `${JSON.stringify(key)}:${sourceOf(value)}`;
