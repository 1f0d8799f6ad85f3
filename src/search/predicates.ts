/**
 * The predicates that a key may end with. Each is a row in one of the tables: comparisons, matches
 * and flags.
 */
import { comparisons } from './comparisons.ts';
import { flags } from './flags.ts';
import { matches } from './matches.ts';
import type { Predicate } from './predicate.ts';

/** Every predicate of the language. */
export const predicates: readonly Predicate[] = [...comparisons, ...matches, ...flags];

const table: ReadonlyMap<string, Predicate> = new Map(
  predicates.map((predicate) => [predicate.name, predicate]),
);

/** The predicate with exactly this name. */
export const predicateNamed = (name: string): Predicate | undefined => table.get(name);

const longest = Math.max(...[...table.keys()].map((name) => name.length));

/**
 * The predicate that a key ends with: the longest one that follows an underscore.
 * @returns the predicate, and the rest of the key before it
 */
export function endingOf(key: string): { predicate: Predicate; rest: string } | undefined {
  for (let at = Math.max(0, key.length - longest - 1); at < key.length; at++) {
    if (key[at] !== '_') continue;
    const predicate = table.get(key.slice(at + 1));
    if (predicate) return { predicate, rest: key.slice(0, at) };
  }
  return undefined;
}
