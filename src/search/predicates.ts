/**
 * The predicates: what a key ends with, what it takes, and what it asks of a column. A row of the
 * tables of comparisons, matches and flags is all that one is.
 */
import { comparisons } from './comparisons.ts';
import { flags } from './flags.ts';
import { matches } from './matches.ts';
import type { Predicate } from './predicate.ts';

export type { Predicate, Takes, Value } from './predicate.ts';

const table: ReadonlyMap<string, Predicate> = new Map(
  [...comparisons, ...matches, ...flags].map((predicate) => [predicate.name, predicate]),
);

/** The predicate of exactly this name. */
export const predicateNamed = (name: string): Predicate | undefined => table.get(name);

const longest = Math.max(...[...table.keys()].map((name) => name.length));

/**
 * The predicate that a key ends with: the longest that stands after an underscore.
 * @returns it, and what stands before it
 */
export function endingOf(key: string): { predicate: Predicate; rest: string } | undefined {
  for (let at = Math.max(0, key.length - longest - 1); at < key.length; at++) {
    if (key[at] !== '_') continue;
    const predicate = table.get(key.slice(at + 1));
    if (predicate) return { predicate, rest: key.slice(0, at) };
  }
  return undefined;
}

/** The reference of the language: every predicate, what it is true of and what it takes. */
export const predicates: readonly Pick<Predicate, 'name' | 'meaning' | 'takes'>[] = [
  ...table.values(),
].map(({ name, meaning, takes }) => ({ name, meaning, takes }));
