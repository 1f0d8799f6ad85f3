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
  const runs = new Set<string>();
  const others: string[] = [];
  for (const pattern of patterns) {
    const [run] = pattern.match(rare) ?? [];
    if (run === undefined) others.push(indexPattern(pattern) ?? pattern);
    else runs.add(run);
  }
  const shortest = [...runs].filter(
    (run) => ![...runs].some((one) => one !== run && run.includes(one)),
  );
  const wanting = others.filter((pattern) => !shortest.some((run) => pattern.includes(run)));
  return [...shortest.map((run) => `%${run}%`), ...new Set(wanting)];
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
