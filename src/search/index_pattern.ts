/**
 * What an index of trigrams is asked for in place of a pattern. For every three letters in a row it goes through a list of
 * the records that have them, those of all accounts: the ends of addresses are in nearly all, and tell nothing.
 */

/** Of a word with signs in it, these letters or digits suffice: so many in a row, and so many in all. */
const enough = { inRow: 4, inAll: 8 };

/**
 * A pattern that every text meets which meets another one, and hardly any more do.
 * @returns undefined where an index is to be asked for the pattern itself
 */
export function indexPattern(pattern: string): string | undefined {
  const shorter = pattern.replaceAll(words, (word) => longRuns(word)).replaceAll(wildcards, '%');
  return shorter === pattern ? undefined : shorter;
}

/** So many letters in a row few texts have. */
const rare = /[\p{L}\p{N}]{5,}/gu;

/**
 * The same of several patterns, of which one suffices. Many of a mistyped word's have the same letters in a row, and each of
 * them would go through the lists of these.
 */
export function indexPatterns(patterns: readonly string[]): readonly string[] {
  const shorter = new Set(
    patterns.map((pattern) => {
      const [run] = pattern.match(rare) ?? [];
      return run === undefined ? listed(indexPattern(pattern) ?? pattern) : `%${run}%`;
    }),
  );
  // The shorter one is the more texts have it, so that one look at a text often suffices.
  return [...shorter]
    .filter((pattern) => ![...shorter].some((one) => one !== pattern && follows(one, pattern)))
    .sort((one, other) => one.length - other.length);
}

/** What is left of a pattern without letters that are too few in a row for an index to have a list of them. */
function listed(pattern: string): string {
  if (hasEscapes.test(pattern)) return pattern;
  const runs = pattern.split('%').filter((run) => !/^[\p{L}\p{N}]{0,2}$/u.test(run));
  return runs.length > 0 ? `%${runs.join('%')}%` : pattern;
}

const hasEscapes = /[\\_]/;

/** Whether all that meets the second pattern meets the first: it has the same letters in the same order. */
function follows(less: string, more: string): boolean {
  if (hasEscapes.test(less)) return false;
  let at = 0;
  return less.split('%').every((run) => {
    const place = more.indexOf(run, at);
    at = place + run.length;
    return place >= 0;
  });
}

/** What stands between blanks and wildcards. */
const words = /(?:\\.|[^ %_])+/gsu;
const wildcards = /(?<!\\)%+/g;
const letters = /[\p{L}\p{N}]+/gu;

function longRuns(word: string): string {
  const runs = word.match(letters) ?? [];
  const long = runs.filter(({ length }) => length >= enough.inRow);
  const isEnough = runs.length > 1 && long.join('').length >= enough.inAll;
  return isEnough ? `%${long.join('%')}%` : word;
}
