/**
 * Reading and writing JSON of many megabytes, which would block everybody else for a tenth of a second
 * if it were done in one go.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { JsonText, stringifyJson } from './json.ts';
import { parsePartwise } from './partwise.ts';

/** Characters after which the event loop gets a turn. */
const slice = 256 * 1024;

/**
 * @param text JSON as PostgreSQL writes it
 * @returns what `JSON.parse` would, built in parts between which the event loop turns
 */
export async function parseLargeJson(text: string): Promise<unknown> {
  const reading = parsePartwise(text);
  let step = reading.next();
  for (; !step.done; step = reading.next()) await turn();
  return step.value;
}

/** The same of a text that may be short, which is parsed at once. */
export const parseAnyJson = async (text: string): Promise<unknown> =>
  text.length > slice ? parseLargeJson(text) : JSON.parse(text);

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
    if (characters < slice) continue;
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
