/**
 * `q` as SQL: which records have every word that was typed, and how well they match. What is looked at is one
 * folded text for each record, in which each field stands between two marks; a deal's includes the name of its
 * contact.
 */
import type { Shape, Shapes } from '../db/sql/shape.ts';
import { type AccountId, join, name, raw, type Sql, sql } from '../db/sql/sql.ts';
import { associationOf, column, type Row } from './associations.ts';
import { fieldMark, foldingVersion } from './fold.ts';
import type { Predicate } from './predicate.ts';
import type { Words } from './search.ts';

/** Characters that a word needs for trigrams to find it. */
const indexed = 3;

const letters = /[\p{L}\p{N}]/gu;
/** Whether trigrams find what is folded. */
export const isIndexed = (word: string): boolean => (word.match(letters)?.length ?? 0) >= indexed;

/** The predicate of `q`, which no key ends with. */
export const found: Predicate = {
  name: 'q',
  meaning: 'has every word, ignoring case, accents, width and the order of words',
  takes: 'value',
  on: ['text'],
  negative: () => false,
  ofMissing: () => false,
  trigrams: {
    help: (values) => values.some((word) => isIndexed(String(word))),
    findWithin: () => false,
  },
  test: () => raw('FALSE'),
};

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

/**
 * A condition on the folded text, such that an index finds the rows: those that are not folded have an index of
 * their own, which is empty but for a while.
 */
const ofFolded = (row: Row, condition: (text: Sql) => Sql): Sql =>
  sql`((${isFolded(row.alias)} AND ${condition(column(row.alias, 'folded'))})
    OR (${isUnfolded(row.alias)} AND ${condition(foldedNow(row))}))`;

const mark = raw(`'${fieldMark}'`);

/** All that is looked at of a row, where it includes the name of another. */
const textWith = (row: Row, other: Row): Sql =>
  sql`(${mark} || split_part(${foldedOf(other)}, ${mark}, 3) || ${foldedOf(row)})`;

const both = (conditions: readonly Sql[]): Sql => sql`(${join(conditions, ' AND ')})`;
const either = (conditions: readonly Sql[]): Sql => sql`(${join(conditions, ' OR ')})`;

/** What suffices, each a list of words that all must be there. */
const alternativesOf = ({ all, others, numbers }: Words): readonly (readonly string[])[] => [
  all,
  ...numbers.map((digits) => [...others, digits]),
];

const matching = (text: Sql, words: Words): Sql =>
  either(alternativesOf(words).map((all) => both(all.map((word) => contains(text, word)))));

/** The record that a shape's `foundWith` leads to, as the row of an alias, and what joins it. */
function otherOf({ shape, alias }: Row, shapes: Shapes, accountId: AccountId, as: string) {
  const { to, on } = associationOf(shape, shape.foundWith ?? '');
  const row: Row = { shape: shapes[to], alias: as };
  const keys = Object.entries(on).map(
    ([theirs, ours]) => sql`${column(as, theirs)} = ${column(alias, ours)}`,
  );
  return {
    row,
    from: sql`${name(shapes[to].table)} AS ${name(as)}`,
    own: sql`${column(as, 'account_id')} = ${accountId}`,
    joined: join(keys, ' AND '),
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
  if (!row.shape.foundWith) return ofFolded(row, (text) => matching(text, words));
  const { row: other, from, own, joined } = otherOf(row, shapes, accountId, alias);
  const has = sql`EXISTS (SELECT FROM ${from} WHERE ${own} AND ${joined} AND ${matching(textWith(row, other), words)})`;
  const candidates = candidatesOf(row.shape, words, shapes, accountId, alias);
  return candidates ? sql`(${column(row.alias, 'id')} IN (${candidates}) AND ${has})` : has;
}

/**
 * The ids of rows among which all are that have every word: those whose other record has all words by itself,
 * and those that have some themselves. Words too short for an index do not count.
 * @returns undefined where no index helps
 */
function candidatesOf(
  shape: Shape,
  words: Words,
  shapes: Shapes,
  accountId: AccountId,
  alias: string,
): Sql | undefined {
  const alternatives = alternativesOf(words).map((all) => all.filter(isIndexed));
  if (alternatives.some((all) => all.length === 0)) return undefined;
  const row: Row = { shape, alias: `${alias}_own` };
  const { row: other, from, own, joined } = otherOf(row, shapes, accountId, `${alias}_other`);
  const table = sql`${name(shape.table)} AS ${name(row.alias)}`;
  const ours = sql`${column(row.alias, 'account_id')} = ${accountId}`;
  const all = (text: Sql) =>
    either(alternatives.map((each) => both(each.map((word) => contains(text, word)))));
  const some = (text: Sql) =>
    either([...new Set(alternatives.flat())].map((word) => contains(text, word)));
  const id = column(row.alias, 'id');
  return sql`SELECT ${id} FROM ${from} JOIN ${table} ON ${ours} AND ${joined} WHERE ${own} AND ${ofFolded(other, all)}
    UNION ALL SELECT ${id} FROM ${table} WHERE ${ours} AND ${ofFolded(row, some)}`;
}

/**
 * How well a row that has every word matches them, as an integer: 1 where a field equals all that was typed, 2
 * where one starts with it, 3 where every word starts a word, 4 otherwise.
 * @param other the record that a shape's `foundWith` leads to
 */
export function rankOf(row: Row, { all, phrase }: Words, other?: Row): Sql {
  const rankIn = (text: Sql): Sql =>
    sql`CASE WHEN ${equals(text, phrase)} THEN 1 WHEN ${starts(text, phrase)} THEN 2
      WHEN ${both(all.map((word) => startsWord(text, word)))} THEN 3 ELSE 4 END`;
  if (!other) return rankIn(foldedOf(row));
  // Put together once for each row.
  return sql`(SELECT ${rankIn(raw('ranked.text'))} FROM (SELECT ${textWith(row, other)} AS text OFFSET 0) AS ranked)`;
}

/**
 * What follows for the folded text where one of a record's texts contains a value: only the index needs to know.
 * @param folded the values of which it has some
 */
export function impliedBy(row: Row, folded: readonly string[]): Sql {
  const has = folded.map((value) => contains(column(row.alias, 'folded'), value));
  return sql`((${isFolded(row.alias)} AND ${either(has)}) OR ${isUnfolded(row.alias)})`;
}
