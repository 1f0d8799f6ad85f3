/** Reading what people type into `q`. */
import type { Shape } from '../db/sql/shape.ts';
import { raw } from '../db/sql/sql.ts';
import { fold } from './fold.ts';
import type { Predicate } from './predicate.ts';
import { type Attribute, limits, type Search, type Words } from './search.ts';
import { isBlank, storable, Unreadable } from './values.ts';
import { isFound } from './word_search.ts';

/** What a number is in other ways of writing it: digits. */
export type NumberForms = (typed: string) => readonly string[];

const noForms: NumberForms = () => [];

/** Digits, perhaps with what people write between those of a phone number. */
const isNumber = (word: string): boolean => /^\+?[\d().\-/]+$/.test(word) && /\d/.test(word);

/** Signs alone do not make a number of a few digits: `(1)` is no other `1`. */
const minSigned = 5;

/**
 * Reads the value of `q`.
 * @param formsOf other ways to write the number that was typed
 * @returns undefined where nothing is asked for
 */
export function readWords(sent: unknown, formsOf = noForms): Words | Unreadable | undefined {
  if (Array.isArray(sent)) return new Unreadable('takes one value, not a list');
  if (typeof sent !== 'string' && typeof sent !== 'number') {
    return isBlank(sent) ? undefined : new Unreadable('is not a text');
  }
  const typed = storable(String(sent));
  if (typed instanceof Unreadable) return typed;
  if (typed.length > 2 * limits.typed || [...typed].length > limits.typed) {
    return new Unreadable(`is too long (maximum is ${limits.typed} characters)`, 'too_long');
  }
  const phrase = fold(typed).replaceAll('\x1f', ' ').trim();
  const words = phrase.split(' ').filter((word) => word !== '');
  if (words.length > limits.words)
    return new Unreadable(`has more than ${limits.words} words`, 'too_many');
  if (words.length === 0) return undefined;
  const all = [...new Set(words)];
  return { all, phrase, ...numbersIn(words, all, formsOf) };
}

function numbersIn(
  words: readonly string[],
  all: readonly string[],
  formsOf: NumberForms,
): Pick<Words, 'others' | 'numbers'> {
  const typed = words.filter(isNumber);
  const digits = typed.join('').replaceAll(/\D/g, '');
  const isPlain = typed.every((word) => /^\d+$/.test(word));
  if (typed.length === 0 || (!isPlain && digits.length < minSigned)) {
    return { others: all, numbers: [] };
  }
  const numbers = new Set([digits, ...formsOf(typed.join(' '))]);
  // It is looked for as it was typed anyway.
  if (typed.length === 1) numbers.delete(typed[0] ?? '');
  return { others: all.filter((word) => !isNumber(word)), numbers: [...numbers] };
}

/** The predicate of `q`, which no key ends with. */
const wordSearch: Predicate = {
  name: 'q',
  meaning: 'has every word, ignoring case, accents, width and the order of words',
  takes: 'value',
  on: ['text'],
  negative: () => false,
  ofMissing: () => false,
  trigrams: {
    help: (values) => values.some((word) => isFound(String(word))),
    findWithin: () => false,
  },
  test: () => raw('FALSE'),
};

/** The search among those that have every word that was typed, the best first unless it has an order. */
export function withWords(words: Words, { foundWith }: Shape, search: Search): Search {
  const folded: Attribute = { path: [], column: 'q', kind: 'text' };
  const others = foundWith === undefined ? [] : [{ ...folded, path: [foundWith] }];
  const attributes = [folded, ...others];
  const condition = {
    any: false,
    attributes,
    predicate: wordSearch,
    values: attributes.map(() => words.all),
    words,
  };
  const { shape, where, sorts } = search;
  const isAll = where.conditions.length === 0 && where.groups.length === 0;
  return {
    shape,
    where: { any: false, conditions: [condition], groups: isAll ? [] : [where] },
    sorts:
      sorts.length > 0
        ? sorts
        : [{ attribute: { ...folded, kind: 'integer' }, descending: false, words }],
    words,
  };
}
