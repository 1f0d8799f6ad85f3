/**
 * What is like words that nothing has: one error in a word of four letters or more, two from eight on. An error is
 * a letter left out, added, exchanged with the next, or replaced (optimal string alignment). A short word must be
 * like a whole one, a longer one like the beginning of one, as when it is still being typed.
 */
import type { Portions } from '../lib/portions.ts';
import { fieldMark } from './fold.ts';
import type { Loose, Words } from './search.ts';

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

/** So many words of the account stand for one at most, those that are most like it. */
const maxLike = 32;

/** What is looked at of one of an account's first records. */
export interface FirstText {
  /** Folded, by which it may be like what was typed. */
  readonly text: string;
  /** All that indexes find it by: of the record that it is found with, too. */
  readonly indexed: string;
}

/**
 * What an index finds few records by: nearly all that are like the words, and some that are not.
 * @param first some records: a word that is like some of theirs stands for these
 * @param max how many of them may have a pattern that is looked for, all patterns together
 * @param before what nothing was found by: nothing stands for a word then, and two errors may be anywhere in it
 * @param portions the work of the call
 */
export async function loosened(
  words: Words,
  first: readonly FirstText[],
  max: number,
  before: Words | undefined,
  portions: Portions,
): Promise<Words> {
  const known = new Set<string>();
  await portions.each(before ? [] : first, ({ text }) => {
    for (const word of text.split(betweenLetters)) known.add(word);
  });
  const loose: Loose[] = [];
  const unknown: string[] = [];
  for (const word of words.all) {
    const like: (Difference & { word: string })[] = [];
    let isThere = false;
    await portions.each(known, (other) => {
      isThere ||= other.includes(word);
      const nearest = nearestOf(word, [other]);
      if (nearest) like.push(nearest);
    });
    if (like.length === 0 && !isThere && errorsIn(word) > 0) unknown.push(word);
    else loose.push({ words: [word, ...mostLike(like).map((one) => one.word)] });
  }
  const rare = unknown.filter((word) => !stands(word, before));
  const [longest] = (rare.length > 0 ? rare : unknown).sort(
    (one, other) => other.length - one.length,
  );
  if (longest !== undefined) {
    const left = patternsOf(longest, before !== undefined).filter(
      ({ pattern }) => !isAmong(pattern, before),
    );
    const patterns = await rarest(left, first, max, portions);
    loose.push({ patterns: [`%${escaped(longest)}%`, ...patterns] });
  }
  return { ...words, loose, numbers: [] };
}

/** Whether the first records had a word, or what is like it. */
const stands = (word: string, { loose = [] }: Partial<Words> = {}): boolean =>
  loose.some((one) => 'words' in one && one.words[0] === word);

const isAmong = (pattern: string, { loose = [] }: Partial<Words> = {}): boolean =>
  loose.some((one) => 'patterns' in one && one.patterns.includes(pattern));

const mostLike = <One extends Difference>(like: One[]): readonly One[] =>
  like
    .sort((one, other) => one.errors - other.errors || one.letters - other.letters)
    .slice(0, maxLike);

/** What stands between words; marks between fields are capital. */
const betweenLetters = /[^\p{Ll}\p{Lo}\p{Lm}\p{N}]+/u;

/** A pattern, and those of which one holds where it does in a word that begins as the typed one: fewer texts have these. */
interface Left {
  readonly pattern: string;
  readonly begun?: readonly string[];
}

/** The patterns that the fewest texts have: an index finds the records that have all runs of a pattern's letters. */
async function rarest(
  left: readonly Left[],
  first: readonly FirstText[],
  max: number,
  portions: Portions,
): Promise<readonly string[]> {
  const texts = first.map(({ indexed }) => indexed.toLowerCase());
  const countOf = (pattern: string): number => {
    const runs = pattern
      .toLowerCase()
      .split(/[%_]/)
      .filter(({ length }) => length >= minRun);
    const alternatives = runs.map((run) =>
      run.startsWith(' ') ? wordStarts.map((sign) => sign + run.slice(1)) : [run],
    );
    let count = 0;
    for (const text of texts) {
      if (alternatives.every((any) => any.some((run) => text.includes(run)))) count++;
      if (count > max) break;
    }
    return count;
  };
  const counted: { readonly pattern: string; readonly count: number }[] = [];
  await portions.each(left, ({ pattern, begun = [] }) => {
    const count = countOf(pattern);
    if (count === 0 || begun.length === 0) counted.push({ pattern, count });
    else counted.push(...begun.map((one) => ({ pattern: one, count: countOf(one) })));
  });
  let rest = max;
  return counted
    .sort((one, other) => one.count - other.count)
    .filter(({ count }) => (rest -= count) >= 0)
    .map(({ pattern }) => pattern);
}

/** Signs that an index takes for the same: a word begins behind them. */
const wordStarts = [...' .@-_+/'];

const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, '\\$&');

function patternsOf(word: string, isThorough: boolean): readonly Left[] {
  const letters = [...word];
  const errors = errorsIn(word);
  if (errors === 0) return [];
  return errors === 1
    ? nearBy(letters).map((pattern) => ({ pattern }))
    : withoutPieces(letters, isThorough);
}

const starts = [' ', fieldMark];

/** What one error may leave: what is before and behind a letter, or two letters exchanged. */
function nearBy(letters: readonly string[]): readonly string[] {
  const textOf = (...parts: readonly (readonly string[])[]) => escaped(parts.flat().join(''));
  const variants = letters.flatMap((letter, at) => {
    const [before, rest] = [letters.slice(0, at), letters.slice(at + 1)];
    const [next, ...behind] = rest;
    const left = `${textOf(before)}%${textOf(rest)}`;
    return next === undefined ? [left] : [left, textOf(before, [next, letter], behind)];
  });
  const patterns = variants.flatMap((variant) =>
    variant.startsWith('%')
      ? [`${variant}%`]
      : starts.map((start) => `%${start}${variant}%`.replaceAll(/%+/g, '%')),
  );
  return [...new Set(patterns)];
}

/** Letters in a row by which an index finds texts. */
const minRun = 3;
/** The same by which it finds few. */
const rareRun = 5;

/** What is left of a word without the pieces that an error may be in, which two neighbours may share, or two errors. */
function withoutPieces(letters: readonly string[], isThorough: boolean): readonly Left[] {
  const size = Math.ceil(letters.length / pieces);
  const parts: string[] = [];
  for (let at = 0; at < letters.length; at += size) {
    parts.push(escaped(letters.slice(at, at + size).join('')));
  }
  const found = new Map<string, Left>();
  parts.forEach((_, one) => {
    for (let other = one; other < parts.length; other++) {
      const left = parts.map((part, at) => (at === one || at === other ? '%' : part)).join('');
      const inRow = Math.max(...left.split('%').map(({ length }) => length));
      if (other > one + 1 && inRow < rareRun && !isThorough) continue;
      const [pattern = '', ...begun] = ['', ...(isThorough && one > 0 ? starts : [])].map((start) =>
        `%${start}${left}%`.replaceAll(/%+/g, '%'),
      );
      found.set(pattern, { pattern, begun });
    }
  });
  return [...found.values()];
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
      let min = Math.min(
        (above[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (above[at - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) {
        min = Math.min(min, (before[at - 2] ?? 0) + 1);
      }
      current.push(min);
    }
    before = above;
    above = current;
  }
  return mayContinue ? Math.min(...above) : (above[other.length] ?? 0);
}
