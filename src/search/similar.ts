/**
 * What is like words that nothing has: one error in a word of four letters or more, two from eight on. An error is
 * a letter left out, added, exchanged with the next, or replaced (optimal string alignment). A short word must be
 * like a whole one, a longer one like the beginning of one, as when it is still being typed.
 */
import { fieldMark } from './fold.ts';
import type { Words } from './search.ts';

/** At most so many are found. */
export const maxSimilar = 50;

/** Letters of a word that may be like another: a longer one must be there as it was typed. */
const maxLetters = 40;
/** From so many letters on a word may be the beginning of another. */
const minBeginning = 6;
/** Of a longer word, an index is asked for what is left without two of so many pieces. */
const pieces = 8;

/** How many errors a word may have. */
export function errorsIn(word: string): number {
  const { length } = [...word];
  if (length > maxLetters) return 0;
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/**
 * The words with patterns of what is like them, of which an index finds few records: nearly all that are like them, and
 * some that are not.
 * @param texts folded ones of some records: words of theirs are looked for as they are
 * @param most how many of the texts may have a pattern that is looked for, all patterns together
 */
export function loosened(words: Words, texts: readonly string[], most: number): Words {
  const known = [...new Set(texts.flatMap((text) => text.split(betweenLetters)))];
  const loose = words.all.map((word) => {
    const like = [word, ...known.filter((other) => nearestOf(word, [other]))];
    return [
      ...new Set([
        ...like.map((other) => `%${escaped(other)}%`),
        ...rarest(patternsOf(word), texts, most),
      ]),
    ];
  });
  return { ...words, loose, numbers: [] };
}

/** What stands between words; marks between fields are capital. */
const betweenLetters = /[^\p{Ll}\p{Lo}\p{Lm}\p{N}]+/u;

/** The patterns that the fewest texts have: an index finds the records that have all runs of a pattern's letters. */
function rarest(
  patterns: readonly string[],
  texts: readonly string[],
  most: number,
): readonly string[] {
  let left = most;
  const countOf = (pattern: string): number => {
    const runs = pattern.split(/[%_]/).filter((run) => run.length >= 3);
    let count = 0;
    for (const text of texts) {
      if (runs.every((run) => text.includes(run))) count++;
      if (count > left) break;
    }
    return count;
  };
  return patterns
    .map((pattern) => ({ pattern, count: countOf(pattern) }))
    .sort((one, other) => one.count - other.count)
    .filter(({ count }) => (left -= count) >= 0)
    .map(({ pattern }) => pattern);
}

const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, '\\$&');

function patternsOf(word: string): readonly string[] {
  const letters = [...word];
  const errors = errorsIn(word);
  if (errors === 0) return [];
  return errors === 1 ? nearBy(letters) : withoutPieces(letters);
}

const starts = [' ', fieldMark];

/** Each way to have one error, as a pattern. */
function nearBy(letters: readonly string[]): readonly string[] {
  const variants = new Set<string>();
  const add = (...parts: readonly (readonly string[] | '_')[]) =>
    variants.add(parts.map((part) => (part === '_' ? part : escaped(part.join('')))).join(''));
  for (let at = 0; at <= letters.length; at++) {
    const [before, behind] = [letters.slice(0, at), letters.slice(at)];
    add(before, '_', behind);
    const [one, other, ...rest] = behind;
    if (one === undefined) continue;
    add(before, behind.slice(1));
    add(before, '_', behind.slice(1));
    if (other !== undefined) add(before, [other, one], rest);
  }
  const ends = letters.length < minBeginning ? starts : [''];
  return [...variants].flatMap((variant) =>
    starts.flatMap((start) => ends.map((end) => `%${start}${variant}${end}%`)),
  );
}

/** What is left of a word without the pieces that two errors may be in. */
function withoutPieces(letters: readonly string[]): readonly string[] {
  const size = Math.ceil(letters.length / pieces);
  const parts: string[] = [];
  for (let at = 0; at < letters.length; at += size) {
    parts.push(escaped(letters.slice(at, at + size).join('')));
  }
  const found = new Set<string>();
  parts.forEach((_, one) => {
    for (let other = one; other < parts.length; other++) {
      const left = parts.map((part, at) => (at === one || at === other ? '%' : part)).join('');
      if (one === 0) found.add(`%${left}%`);
      else for (const start of starts) found.add(`%${start}${left}%`);
    }
  });
  return [...found].map((pattern) => pattern.replaceAll(/%+/g, '%'));
}

/** How much a record's folded text differs from words that were typed: the sum of errors, then of letters. */
export interface Difference {
  readonly errors: number;
  readonly letters: number;
}

/**
 * @param text folded
 * @returns undefined where a word is not like any of the text
 */
export function differenceOf(words: Words, text: string): Difference | undefined {
  const own = text.split(ends).filter((word) => word !== '');
  let errors = 0;
  let letters = 0;
  for (const word of words.all) {
    if (text.includes(word)) continue;
    const nearest = nearestOf(word, own);
    if (!nearest) return undefined;
    errors += nearest.errors;
    letters += nearest.letters;
  }
  return { errors, letters };
}

/** What stands between the words of a folded record. */
const ends = /[ Q]/;

/** The word that a typed one is most like; undefined where it is like none. */
export function nearestOf(
  word: string,
  among: readonly string[],
): (Difference & { readonly word: string }) | undefined {
  const allowed = errorsIn(word);
  if (allowed === 0) return undefined;
  const typed = [...word];
  const mayContinue = typed.length >= minBeginning;
  const mayBeLike = (other: string): boolean => {
    let missing = 0;
    for (const letter of typed) if (!other.includes(letter)) missing++;
    return missing <= allowed;
  };
  let best: (Difference & { word: string }) | undefined;
  for (const other of among) {
    if (!mayBeLike(other)) continue;
    const theirs = [...other];
    if (theirs.length < typed.length - allowed) continue;
    if (!mayContinue && theirs.length > typed.length + allowed) continue;
    const errors = distance(typed, theirs.slice(0, typed.length + allowed), mayContinue);
    if (errors > allowed) continue;
    const letters = Math.abs(theirs.length - typed.length);
    if (!best || errors < best.errors || (errors === best.errors && letters < best.letters)) {
      best = { word: other, errors, letters };
    }
  }
  return best;
}

/**
 * The least number of errors between a word and another one.
 * @param mayContinue whether the other may go on after what the word is like
 */
export function distance(
  one: readonly string[],
  other: readonly string[],
  mayContinue = false,
): number {
  let before: number[] = [];
  let above = other.map((_, at) => at + 1);
  above.unshift(0);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      let least = Math.min(
        (above[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (above[at - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) {
        least = Math.min(least, (before[at - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    before = above;
    above = current;
  }
  return mayContinue ? Math.min(...above) : (above[other.length] ?? 0);
}
