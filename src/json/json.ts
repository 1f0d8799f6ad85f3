/**
 * Lossless JSON. `JSON.parse` rounds long numbers and reorders integer-like keys; what
 * clients store as `custom_attributes` must come back exactly as sent, and an id must never be
 * read as its neighbour. So a parsed object remembers its own text, a number that JavaScript
 * cannot hold is a value of its own, and stored JSON text is written into an answer untouched.
 */
import { randomBytes } from 'node:crypto';
import { LongNumber } from './long_number.ts';
import { type PartReader, parsePartwise } from './partwise.ts';
import { SourceText } from './source.ts';
import { endOfBlanks } from './text.ts';
import { type Holder, Walk } from './walk.ts';

export { LongNumber } from './long_number.ts';
export { keepSource, sourceOf } from './source.ts';
export { hasMoreValues, mergePatch, uniteKeys } from './text.ts';
export { Excess } from './walk.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is a JSON object, which neither a list nor a kept number is. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof LongNumber);

/** An empty list, which is also how PHP writes an empty object. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * Parses JSON as `JSON.parse` does (the last of equal keys wins), with numbers that might be altered
 * as {@link LongNumber}, and every object's text kept for {@link sourceOf}.
 * @throws {SyntaxError} when it is not JSON
 * @throws {Excess} when it is nested too deep
 */
export const parseJson = (text: string): unknown => withSources(JSON.parse(text), text);

/**
 * The same of a long text, a part at a time.
 * @param turn waited for between them
 */
export async function parseLongJson(text: string, turn: () => Promise<void>): Promise<unknown> {
  const reading = parsePartwise(text, withText);
  let step = reading.next();
  for (; !step.done; step = reading.next()) await turn();
  return step.value;
}

const withText: PartReader = {
  read: (text, depth) => withSources(JSON.parse(text), text, depth),
  keep: SourceText.keep,
};

function withSources(parsed: unknown, text: string, depth = 0): unknown {
  const root: Holder = { 0: parsed };
  new Walk(text).value(endOfBlanks(text, 0), root, 0, 0, depth);
  return root[0];
}

// Unguessable, so that no client's text can be mistaken for a placeholder.
const mark = randomBytes(12).toString('hex');
const placeholder = `"${mark}"`;
let embedded: string[] = [];

/** JSON text that goes into an answer unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    embedded.push(this.text);
    return mark;
  }
}

/** `JSON.stringify`, with every {@link JsonText} written as the JSON that it holds. */
export function stringifyJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  embedded = [];
  const text = JSON.stringify(value);
  if (embedded.length === 0) return text;
  // They were asked in the order in which they stand there.
  let written = '';
  let from = 0;
  for (const own of embedded) {
    const at = text.indexOf(placeholder, from);
    written += text.slice(from, at) + own;
    from = at + placeholder.length;
  }
  embedded = [];
  return written + text.slice(from);
}
