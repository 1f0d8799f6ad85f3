/**
 * `q` as SQL: which records have every word that was typed, and how well they match. What is looked at is one
 * folded text for each record, in which each field stands between two marks; a deal's includes the name of its
 * contact.
 */
import type { Shape, Shapes } from '../db/sql/shape.ts';
import { type AccountId, empty, join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import { associationOf, column, type Row } from './associations.ts';
import { fieldMark, foldingVersion } from './fold.ts';
import { hanKanaIn, hasHanKana } from './han_kana.ts';
import { indexPattern, indexPatterns } from './index_pattern.ts';
import type { Words } from './search.ts';

/** Characters that a word needs for trigrams to find it. */
const indexed = 3;

const letters = /[\p{L}\p{N}]/gu;
const lettersIn = (text: string): number => text.match(letters)?.length ?? 0;

/** Whether trigrams find what is folded. */
export const isIndexed = (text: string): boolean => lettersIn(text) >= indexed;

/** The letters of a pattern that another index finds, where trigrams find nothing by it. */
const shortLetters = (pattern: string): readonly string[] =>
  isIndexed(pattern) ? [] : hanKanaIn(pattern.replaceAll(fieldMark, ''));

/** Whether an index finds what has a folded text, or a pattern. */
export const isFound = (pattern: string): boolean =>
  isIndexed(pattern) || shortLetters(pattern).length > 0;

/** The same of a pattern, in which the start of a word counts as one more letter: many records may have it. */
const isWeaklyIndexed = (pattern: string): boolean =>
  lettersIn(pattern) + Number(/ [\p{L}\p{N}]/u.test(pattern)) >= indexed;

const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, '\\$&');
const like = (text: Sql, pattern: string): Sql => sql`${text} LIKE ${pattern}::text`;
const contains = (text: Sql, word: string): Sql => like(text, `%${escaped(word)}%`);
/** A field is what was typed. */
const equals = (text: Sql, phrase: string): Sql =>
  like(text, `%${fieldMark}${escaped(phrase)}${fieldMark}%`);
/** A field begins with it. */
const starts = (text: Sql, phrase: string): Sql => like(text, `%${fieldMark}${escaped(phrase)}%`);
const startsWord = (text: Sql, word: string): Sql =>
  sql`(${like(text, `% ${escaped(word)}%`)} OR ${starts(text, word)})`;

const version = raw(String(foldingVersion));
const isFolded = (alias: string): Sql => sql`${column(alias, 'folded_by')} = ${version}`;
/** Exactly the condition of the index of such rows. */
const isUnfolded = (alias: string): Sql =>
  sql`${column(alias, 'folded_by')} IS DISTINCT FROM ${version}`;

/** What the row would hold if it were folded. */
function foldedNow({ shape, alias }: Row): Sql {
  const fields = (shape.foundBy ?? []).map((field) => column(alias, field));
  return sql`${name(`folded_${shape.table}_${foldingVersion}`)}(${join(fields)})`;
}

/** The folded text of a row, by whichever table it was folded. */
const foldedOf = (row: Row): Sql =>
  sql`CASE WHEN ${isFolded(row.alias)} THEN ${column(row.alias, 'folded')} ELSE ${foldedNow(row)} END`;

const mark = raw(`'${fieldMark}'`);

/** All that is looked at of a row, where it includes the name of another. */
const textWith = (row: Row, other: Row): Sql =>
  sql`(${mark} || split_part(${foldedOf(other)}, ${mark}, 3) || ${foldedOf(row)})`;

const joined = (conditions: readonly Sql[], by: string): Sql =>
  conditions.length === 1 ? join(conditions) : sql`(${join(conditions, by)})`;
const both = (conditions: readonly Sql[]): Sql => joined(conditions, ' AND ');
const either = (conditions: readonly Sql[]): Sql => joined(conditions, ' OR ');

/** Patterns, or words, of which a text must have one. */
type Need = readonly string[] | { readonly words: readonly string[] };
/** What suffices, each a list of what must all be there. */
type Alternatives = readonly (readonly Need[])[];

const needOf = (word: string): readonly string[] => [`%${escaped(word)}%`];
const startsOf = (word: string): readonly string[] => [
  `% ${escaped(word)}%`,
  `%${fieldMark}${escaped(word)}%`,
];

const alternativesOf = ({ all, others, numbers, loose }: Words): Alternatives =>
  loose
    ? [loose.map((one) => ('patterns' in one ? one.patterns : one))]
    : [all, ...numbers.map((digits) => [...others, digits])].map((words) => words.map(needOf));

const patternsOf = (need: Need): readonly string[] =>
  'words' in need ? need.words.flatMap(needOf) : need;

function meets(text: Sql, need: Need, isMet = like): Sql {
  const expression = expressionOf(need);
  return expression === undefined
    ? either(patternsOf(need).map((pattern) => isMet(text, pattern)))
    : sql`${text} ~ ${expression}::text`;
}

/** Texts in a regular expression, by which trigrams find several at once. They know no letters from U+0800 on there. */
const expressible = /^[\0-\u07ff]*$/;

const literal = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function expressionOf(need: Need): string | undefined {
  if (!('words' in need) || need.words.length < 2) return undefined;
  return need.words.every((word) => expressible.test(word))
    ? need.words.map(literal).join('|')
    : undefined;
}

const matching = (text: Sql, alternatives: Alternatives, isMet = like): Sql =>
  either(alternatives.map((needs) => both(needs.map((need) => meets(text, need, isMet)))));

/** What an index is asked for in place of what is needed: all that meets it has this, and hardly anything else. */
function soughtOf(needs: readonly Need[]): readonly Need[] {
  // Beside patterns of what few have, an index would go through all that have words which many may have, for each.
  const isRare = needs.some((need) => !('words' in need));
  const listed = needs.filter((need) => !isRare || !('words' in need));
  return listed.map((need) => {
    if (expressionOf(need) !== undefined) return need;
    const patterns = patternsOf(need);
    const fewer = indexPatterns(patterns);
    if (fewer.length < patterns.length) return fewer;
    return patterns.map((pattern) => indexPattern(pattern) ?? pattern);
  });
}

/** LIKE for an index: of a few letters of Chinese and Japanese, which no trigrams find, each has a list. */
function isListed(text: Sql, pattern: string): Sql {
  const letters = shortLetters(pattern);
  const isLike = like(text, pattern);
  return letters.length > 0 ? sql`(${isLike} AND ${hasHanKana(text, letters)})` : isLike;
}

/**
 * The condition that a row's folded text meets what is needed, such that an index finds the rows, and that no row which it
 * finds is decided twice: those that are not folded have an index of their own, which is empty but for a while.
 */
function ofFolded(row: Row, alternatives: Alternatives): Sql {
  const text = column(row.alias, 'folded');
  const sought = alternatives.map(soughtOf);
  const isExact = JSON.stringify(sought) === JSON.stringify(alternatives);
  const isMet = isExact
    ? isFolded(row.alias)
    : sql`(${isFolded(row.alias)} AND (${matching(text, alternatives)}) IS TRUE)`;
  return sql`((${matching(text, sought, isListed)} OR ${isUnfolded(row.alias)})
    AND (${isMet} OR (${isUnfolded(row.alias)} AND ${matching(foldedNow(row), alternatives)})))`;
}

/** The record that a shape's `foundWith` leads to, as the row of an alias, and what joins it. */
function otherOf({ shape, alias }: Row, shapes: Shapes, accountId: AccountId, as: string) {
  const { to, on: pairs } = associationOf(shape, shape.foundWith ?? '');
  const row: Row = { shape: shapes[to], alias: as };
  const keys = Object.entries(pairs).map(
    ([theirs, ours]) => sql`${column(as, theirs)} = ${column(alias, ours)}`,
  );
  return {
    row,
    from: sql`${name(shapes[to].table)} AS ${name(as)}`,
    own: sql`${column(as, 'account_id')} = ${accountId}`,
    on: join(keys, ' AND '),
  };
}

/**
 * The condition that a row has every word.
 * @param alias to be used for what it looks up, with more after it
 */
export function hasWords(
  row: Row,
  words: Words,
  shapes: Shapes,
  accountId: AccountId,
  alias: string,
): Sql {
  const alternatives = alternativesOf(words);
  if (!row.shape.foundWith) return ofFolded(row, alternatives);
  const { row: other, from, own, on } = otherOf(row, shapes, accountId, alias);
  const has = sql`EXISTS (SELECT FROM ${from} WHERE ${own} AND ${on} AND ${matching(textWith(row, other), alternatives)})`;
  const candidates = candidatesOf(row.shape, alternatives, shapes, accountId, alias);
  return candidates ? sql`(${column(row.alias, 'id')} IN (${candidates}) AND ${has})` : has;
}

/**
 * The ids of rows among which all are that meet the needs: those whose other record meets all by itself, and those
 * that meet some themselves. What is too short for an index does not count.
 * @returns undefined where no index helps
 */
function candidatesOf(
  shape: Shape,
  needed: Alternatives,
  shapes: Shapes,
  accountId: AccountId,
  alias: string,
): Sql | undefined {
  const alternatives = needed.map(indexedOf);
  if (alternatives.some((needs) => needs.length === 0)) return undefined;
  const row: Row = { shape, alias: `${alias}_own` };
  const { row: other, from, own, on } = otherOf(row, shapes, accountId, `${alias}_other`);
  const table = sql`${name(shape.table)} AS ${name(row.alias)}`;
  const ours = sql`${column(row.alias, 'account_id')} = ${accountId}`;
  const some = alternatives.flat().map((need) => [need]);
  const id = column(row.alias, 'id');
  return sql`SELECT ${id} FROM ${from} JOIN ${table} ON ${ours} AND ${on} WHERE ${own} AND ${ofFolded(other, alternatives)}
    UNION ALL SELECT ${id} FROM ${table} WHERE ${ours} AND ${ofFolded(row, some)}`;
}

/** The folded text of the row of an alias, all that indexes find it by, and the joins that these need. */
export function textOf(row: Row, shapes: Shapes, accountId: AccountId, alias: string) {
  const folded = foldedOf(row);
  if (!row.shape.foundWith) return { text: folded, indexed: folded, joins: empty };
  const { row: other, from, own, on } = otherOf(row, shapes, accountId, alias);
  const indexed = sql`(${foldedOf(other)} || ${folded})`;
  return { text: textWith(row, other), indexed, joins: sql`JOIN ${from} ON ${own} AND ${on}` };
}

/**
 * How well a text that has every word matches them: 1 where a field equals all that was typed, 2 where one starts
 * with it, 3 where every word starts a word, 4 otherwise.
 */
export type Tier = 1 | 2 | 3 | 4;
export const ranks: readonly Tier[] = [1, 2, 3, 4];

/** The rank of a folded text that has every word, as an integer. */
const ranked = (text: Sql, words: Words): Sql => sql`CASE ${rankCases(text, words)} END`;

/** The same of any text: null where words are missing. */
export const rankAmongAll = (text: Sql, words: Words): Sql =>
  sql`CASE WHEN NOT ${matching(text, alternativesOf(words))} THEN NULL ${rankCases(text, words)} END`;

const rankCases = (text: Sql, { all, phrase }: Words): Sql =>
  sql`WHEN ${starts(text, phrase)} THEN CASE WHEN ${equals(text, phrase)} THEN 1 ELSE 2 END
      WHEN ${both(all.map((word) => startsWord(text, word)))} THEN 3 ELSE 4`;

/** What all rows of a rank have, and few others. */
function alternativesOfRank(rank: Tier, words: Words): Alternatives {
  const { all, phrase } = words;
  const field = `%${fieldMark}${escaped(phrase)}`;
  const alternatives: Readonly<Record<Tier, Alternatives>> = {
    1: [[[`${field}${fieldMark}%`]]],
    2: [[[`${field}%`]]],
    // An index finds by all words at once what has each of them, but not by where they stand.
    3: [[...all.map(needOf), ...all.map(startsOf)]],
    4: alternativesOf(words),
  };
  return alternatives[rank];
}

const textsOf = (need: Need): readonly string[] => ('words' in need ? need.words : need);

/** Those of the needs that an index finds rows by. */
function indexedOf(needs: readonly Need[]): readonly Need[] {
  const well = needs.filter((need) => textsOf(need).every(isFound));
  return well.length > 0 ? well : needs.filter((need) => textsOf(need).every(isWeaklyIndexed));
}

/** Whether an index finds the rows of a rank. */
export const isRankIndexed = (rank: Tier, words: Words): boolean =>
  alternativesOfRank(rank, words).every((needs) => indexedOf(needs).length > 0);

/** A condition that all rows of a rank meet, and that an index finds few others by: these may lack words. */
export function meetsRank(
  row: Row,
  rank: Tier,
  words: Words,
  shapes: Shapes,
  accountId: AccountId,
  alias: string,
): Sql {
  const alternatives = alternativesOfRank(rank, words);
  if (!row.shape.foundWith) return ofFolded(row, alternatives);
  const candidates = candidatesOf(row.shape, alternatives, shapes, accountId, alias);
  return candidates ? sql`${column(row.alias, 'id')} IN (${candidates})` : raw('TRUE');
}

/**
 * The rank of a row that has every word.
 * @param other the record that a shape's `foundWith` leads to
 */
export function rankOf(row: Row, words: Words, other?: Row): Sql {
  return other
    ? puttingTogether(textWith(row, other), (text) => ranked(text, words))
    : ranked(foldedOf(row), words);
}

/** What is asked of a text that takes to be put together, as that is once for each row. */
export const puttingTogether = (text: Sql, of: (text: Sql) => Sql): Sql =>
  sql`(SELECT ${of(raw('ranked.text'))} FROM (SELECT ${text} AS text OFFSET 0) AS ranked)`;

/**
 * What follows for the folded text where one of a record's texts contains a value: only the index needs to know.
 * @param folded the values of which it has some
 */
export function impliedBy(row: Row, folded: readonly string[]): Sql {
  const has = folded.map((value) => contains(column(row.alias, 'folded'), value));
  return sql`((${isFolded(row.alias)} AND ${either(has)}) OR ${isUnfolded(row.alias)})`;
}
