/** Why two contacts are probably one person, and how probable that is. */
import type { DuplicateReason } from '../../generated/graphql.ts';
import { distance, errorsIn } from '../../search/similar.ts';
import type { Candidate, Census } from './duplicate_keys.ts';

/** How probable it is that two contacts are one person where nothing but this speaks for it. */
const weights: Readonly<Record<DuplicateReason, number>> = {
  same_mailbox: 0.99,
  email_in_another_field: 0.98,
  same_phone: 0.97,
  same_name_and_phone_end: 0.96,
  same_name_and_similar_email: 0.95,
  same_name_same_domain: 0.94,
  similar_name_and_phone_end: 0.9,
  similar_name_same_domain: 0.8,
  same_name: 0.5,
};

/** Digits that end a phone: a number of a city, without its code, has as many. */
const phoneEnd = { ofOneName: 7, ofSimilarNames: 8, ofAnyNames: 10 } as const;

/** Shorter names of mailboxes are those of offices. */
const minMailName = 5;

/** Which share of contacts has a namesake that is the same person: with other e-mails and phones, and without. */
const expected = { unlike: 0.001, otherwise: 0.002 } as const;

/** How often a misspelt word occurs by chance: once in so many contacts. */
const misspeltAmong = 20_000;

const punctuation = /[,.;:_()"'-]/g;
const names: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' };

/** A contact by what is compared. */
export interface Person extends Candidate {
  /** Of the folded name, without punctuation, in their order. */
  readonly words: readonly string[];
  /** The same in that of letters. */
  readonly sorted: readonly string[];
  /** Of the phone. */
  readonly digits: string;
  readonly mailbox: string;
  readonly domain: string;
}

/** An e-mail address without what mail services ignore: `mailbox_1` of the database does the same. */
export function mailboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const [name = ''] = local.split('+');
  return domain === '' ? '' : `${name.replaceAll('.', '')}@${names[domain] ?? domain}`;
}

export function personOf(candidate: Candidate): Person {
  const words = candidate.folded.replace(punctuation, ' ').split(' ').filter(Boolean);
  return {
    ...candidate,
    words,
    sorted: words.toSorted(),
    digits: candidate.phone.replaceAll(/\D/g, ''),
    mailbox: mailboxOf(candidate.email),
    domain: candidate.email.split('@')[1] ?? '',
  };
}

/** What speaks for two contacts being one person. */
export interface Likeness {
  /** The strongest first. */
  readonly reasons: readonly DuplicateReason[];
  /** How probable it is, from 0 to 1. */
  readonly weight: number;
  /** Whether nothing but a name speaks for it. */
  readonly isNameOnly: boolean;
  /** How probable it is that they are two who only have the same name. */
  readonly doubt: number;
}

/** @returns undefined where nothing speaks for it */
export function likenessOf(one: Person, other: Person, census: Census): Likeness | undefined {
  const reasons = inOrder([...addressReasons(one, other), ...nameReasons(one, other, census)]);
  if (reasons.length === 0) return undefined;
  const isNameOnly = reasons.every((reason) => reason === 'same_name');
  const against = reasons.reduce((rest, reason) => rest * (1 - weights[reason]), 1);
  return {
    reasons,
    weight: 1 - against,
    isNameOnly,
    doubt: isNameOnly ? namesakeDoubt(one, other, census) : 0,
  };
}

/** Each once, the strongest first. */
export const inOrder = (reasons: Iterable<DuplicateReason>): DuplicateReason[] =>
  [...new Set(reasons)].sort((one, other) => weights[other] - weights[one]);

function addressReasons(one: Person, other: Person): readonly DuplicateReason[] {
  const reasons: DuplicateReason[] = [];
  if (one.mailbox !== '' && one.mailbox === other.mailbox) reasons.push('same_mailbox');
  if (isElsewhere(one, other) || isElsewhere(other, one)) reasons.push('email_in_another_field');
  if (isShortened(one, other) || isShortened(other, one)) reasons.push('same_phone');
  return reasons;
}

function nameReasons(one: Person, other: Person, census: Census): readonly DuplicateReason[] {
  const reasons: DuplicateReason[] = [];
  const isColleague = one.has_colleagues && one.domain === other.domain;
  if (isSameName(one, other)) {
    if (haveSameEnd(one, other, phoneEnd.ofOneName)) reasons.push('same_name_and_phone_end');
    if (haveSimilarMail(one, other)) reasons.push('same_name_and_similar_email');
    if (isColleague) reasons.push('same_name_same_domain');
    return reasons.length > 0 || one.words.length === 0 ? reasons : ['same_name'];
  }
  if (!isSimilarName(one, other)) return reasons;
  if (haveSameEnd(one, other, phoneEnd.ofSimilarNames)) reasons.push('similar_name_and_phone_end');
  if (isColleague && !areOtherNames(one, other, census)) reasons.push('similar_name_same_domain');
  return reasons;
}

/** Whether another contact mentions one's address: other people's may be mentioned, too. */
const isElsewhere = (one: Person, other: Person): boolean =>
  one.mailbox !== '' &&
  other.other_email !== null &&
  mailboxOf(other.other_email) === one.mailbox &&
  mayShareName(one, other);

const mayShareName = (one: Person, other: Person): boolean =>
  one.words.length === 0 ||
  other.words.length === 0 ||
  other.full_name.includes('@') ||
  one.words.some((word) => other.words.includes(word)) ||
  isSimilarName(one, other);

/** Whether one's phone is the other's without what comes before, such as the country's code. */
function isShortened(one: Person, other: Person): boolean {
  const end = other.digits.replace(/^0+/, '');
  if (!one.phone.startsWith('+') || other.phone.startsWith('+')) return false;
  if (end.length < phoneEnd.ofSimilarNames || isOneDigit(end)) return false;
  const isLong = end.length >= phoneEnd.ofAnyNames;
  return one.digits.endsWith(end) && (isLong || mayShareName(one, other));
}

const isOneDigit = (digits: string): boolean => /^(\d)\1*$/.test(digits);

function haveSameEnd(one: Person, other: Person, length: number): boolean {
  const end = one.digits.slice(-length);
  return end.length === length && !isOneDigit(end) && other.digits.endsWith(end);
}

/** Whether two addresses differ by their domains alone, or by what may be an error. */
function haveSimilarMail(one: Person, other: Person): boolean {
  const [name = ''] = one.mailbox.split('@');
  const [otherName = ''] = other.mailbox.split('@');
  if (Math.min(name.length, otherName.length) < minMailName) return false;
  if (name === otherName) return true;
  // People of one name are counted.
  const isNumbered = name.replaceAll(/\d/g, '') === otherName.replaceAll(/\d/g, '');
  return one.domain === other.domain && !isNumbered && distance([...name], [...otherName]) === 1;
}

const isSameName = (one: Person, other: Person): boolean =>
  one.sorted.length === other.sorted.length &&
  one.sorted.every((word, at) => word === other.sorted[at]);

/** What two names do not have in common. */
function rests(one: Person, other: Person): readonly [string[], string[]] {
  const others = [...other.words];
  const own = one.words.filter((word) => {
    const at = others.indexOf(word);
    if (at >= 0) others.splice(at, 1);
    return at < 0;
  });
  return [own, others];
}

/** Whether names differ by an error in one word, by a word that only one has, an initial, or blanks. */
function isSimilarName(one: Person, other: Person): boolean {
  const [own, others] = rests(one, other);
  const common = one.words.length - own.length;
  if (own.length === 0 || others.length === 0) return common >= 2;
  if (one.words.join('') === other.words.join('')) return true;
  const [word = ''] = own;
  const [otherWord = ''] = others;
  if (own.length > 1 || others.length > 1) return false;
  if (word.length === 1 || otherWord.length === 1) return common > 0 && word[0] === otherWord[0];
  const longer = word.length > otherWord.length ? word : otherWord;
  return distance([...word], [...otherWord]) <= errorsIn(longer);
}

const vowels = /[aeo]$/;

/** Whether the words in which two names differ are names of their own, such as Paula and Paulo. */
function areOtherNames(one: Person, other: Person, { count }: Census): boolean {
  const [[word], [otherWord]] = rests(one, other);
  if (word === undefined || otherWord === undefined) return false;
  // An initial is no name of its own.
  if (word.length === 1 || otherWord.length === 1) return false;
  const isFirst = word === one.words[0] && otherWord === other.words[0];
  if (isFirst && word.replace(vowels, '') === otherWord.replace(vowels, '')) return true;
  const min = Math.min(frequencyOf(word, one), frequencyOf(otherWord, other));
  return min > Math.max(1, count / misspeltAmong);
}

const frequencyOf = (word: string, { words, first_count, last_count }: Person): number =>
  word === words[0] ? first_count : word === words.at(-1) ? last_count : 1;

/**
 * How probable it is that two people have a name by chance, as the words that it begins and ends with are spread
 * among all contacts.
 */
function namesakeDoubt(one: Person, other: Person, census: Census): number {
  const { count, mails, phones } = census;
  const chances = [one, other].map(
    ({ words, first_count, last_count }) =>
      (Math.max(0, first_count - 2) * (words.length > 1 ? Math.max(0, last_count - 2) : count)) /
      count,
  );
  const has = mails ** 2 * phones ** 2;
  const isUnlike = [one, other].every(({ email, phone }) => email !== '' && phone !== '');
  const chance = Math.max(...chances) * (isUnlike ? has : 1 - has);
  return chance / (chance + (isUnlike ? expected.unlike : expected.otherwise));
}
