/** What a client probably meant by a name that is none. */
import { distance } from 'fastest-levenshtein';

/** Longer names are no slips of the pen, and comparing them would take its time. */
const longest = 100;

/**
 * The known name that is most like a given one.
 * @returns undefined when none is so like it that it may have been meant
 */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  if (given.length > longest) return undefined;
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const apart = distance(wanted, name);
    const isLike = apart <= Math.max(wanted.length, name.length) * 0.35 || isPart(wanted, name);
    if (!isLike || apart >= least) continue;
    best = name;
    least = apart;
  }
  return best;
}

/** Whether one of two names is made of words of the other: `name` of `full_name`. */
function isPart(one: string, other: string): boolean {
  const [few = [], many = []] = [one.split('_'), other.split('_')].sort(
    (a, b) => a.length - b.length,
  );
  return few.every((word) => word.length > 2 && many.includes(word));
}

/** ` (did you mean full_name?)`, or nothing: the end of a message on a name that is none. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const meant = nearest(given, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
