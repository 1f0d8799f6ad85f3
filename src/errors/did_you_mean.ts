/** What a client probably meant by an unknown name. */
import { distance } from 'fastest-levenshtein';
import { type CodedMessage, coded } from './codes.ts';

/** Longer names are not typing errors, and comparing them would take long. */
export const longest = 100;

/** How near a name must be. */
interface Nearness {
  /** Letters that may differ at most; when not given, a third of them, or words may be missing. */
  readonly max?: number;
  /** How to write the known names in a message. */
  readonly as?: ReadonlyMap<string, string>;
}

/**
 * The known name that is most like a given one.
 * @returns undefined when none is so like it that it may have been meant
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  { max }: Nearness = {},
): string | undefined {
  if (name.length > longest) return undefined;
  const lower = name.toLowerCase();
  let best: string | undefined;
  let min = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const apart = distance(lower, name);
    const third = Math.max(lower.length, name.length) * 0.35;
    const isNear = apart <= third && apart <= (max ?? third);
    if (!(isNear || (max === undefined && isPart(lower, name)))) continue;
    // Of two that are as near, what was left unfinished is rather meant: gteq by gte, and not gt.
    const far = name.startsWith(lower) ? apart - 0.5 : apart;
    if (far >= min) continue;
    best = name;
    min = far;
  }
  return best;
}

/** Whether one of two names begins the other, or is made of words of it: `name` of `full_name`. */
function isPart(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length > 2 && long.startsWith(short)) return true;
  const words = long.split('_');
  return short.split('_').every((word) => word.length > 2 && words.includes(word));
}

/** ` (did you mean full_name?)`, or nothing: the end of a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>, how: Nearness = {}): string {
  const meant = nearest(name, known, how);
  return meant === undefined ? '' : ` (did you mean ${how.as?.get(meant) ?? meant}?)`;
}

/** What is wrong with the name of a field that does not exist. */
export const noField = (name: string, fields: Iterable<string>): CodedMessage =>
  coded('unknown_field', `is not a field${didYouMean(name, fields)}`);
