/**
 * Letters of Han and Kana. Words of these have one or two letters as often as not, too few for trigrams, so what
 * has such letters is found by an index of its own: migration `han_kana`.
 */
import { raw, type Sql, sql } from '../db/sql/sql.ts';

/** Hiragana, Katakana and Han, with what Unicode has between them; in the migration, too. */
const letter = /[\u3040-\u9fff\u{20000}-\u{3ffff}]/gu;
const inDatabase = raw("'[\\u3040-\\u9fff\\U00020000-\\U0003ffff]'");

/** @returns each letter of these once; none where a text has other letters or digits, too */
export function hanKanaIn(text: string): readonly string[] {
  const others = text.replaceAll(letter, '');
  return /[\p{L}\p{N}]/u.test(others) ? [] : [...new Set(text.match(letter))];
}

/** That a folded text has all of these letters: a condition that the index finds rows by. */
export const hasHanKana = (text: Sql, letters: readonly string[]): Sql =>
  sql`${text} ~ ${inDatabase} AND han_kana_1(${text}) @> ${letters}::text[]`;
