/** Predicates that look for a text within a text, ignoring case. */
import { raw, type Sql, sql } from '../db/sql/sql.ts';
import { byCodePoint, label, someLabel } from './comparisons.ts';
import type { Predicate, Value } from './predicate.ts';
import { beforeSigma, behindSigma, comparisonOf, hasSigma } from './sigma.ts';
import { type Variant, variants } from './variants.ts';

interface Match {
  readonly meaning: string;
  readonly finds: Position;
  readonly negative?: true;
}

/** Where in a text the value must occur. */
interface Position {
  /** Makes a LIKE pattern of the value. */
  readonly pattern: (value: string) => string;
  readonly live?: true;
  /** Characters that a value needs for a trigram index to help; with fewer all rows are read. */
  readonly min?: number;
  /** Transforms a text so that it begins with the value: an ordinary index can find that. */
  readonly anchor?: (text: Sql) => Sql;
  /** As much of the value from there as has one small letter for each. */
  readonly end?: (value: string) => string;
}

const escaped = (text: string) => text.replaceAll(/[%_\\]/g, '\\$&');

const anywhere: Position = { pattern: (text) => `%${escaped(text)}%`, min: 3 };
const atStart: Position = {
  pattern: (text) => `${escaped(text)}%`,
  anchor: (text) => text,
  end: beforeSigma,
};
const atEnd: Position = {
  pattern: (text) => `%${escaped(text)}`,
  anchor: (text) => sql`reverse(${text})`,
  end: behindSigma,
};
const asPattern: Position = { pattern: (text) => text, live: true };

/**
 * A text with its case folded by the rules of Unicode, whatever the database's locale. The migrations
 * create the collation, and the trigram indexes hold texts folded by it; by themselves they would
 * fold as the database's locale does.
 */
const folded = (text: Sql) => sql`lower(${text} COLLATE "unicode_case")`;

/** Folded, but so that no trigram index applies: for a short value one would be read completely. */
const unindexed = (text: Sql) => byCodePoint(folded(text));

const not = { negative: true } as const;

// biome-ignore format: one predicate a line reads as the table that it is
const rows: Readonly<Record<string, Match>> = {
  cont: { meaning: 'contains the value, ignoring case', finds: anywhere },
  not_cont: { meaning: 'does not contain the value, ignoring case', finds: anywhere, ...not },
  i_cont: { meaning: 'contains the value, ignoring case', finds: anywhere },
  not_i_cont: { meaning: 'does not contain the value, ignoring case', finds: anywhere, ...not },
  start: { meaning: 'starts with the value, ignoring case', finds: atStart },
  not_start: { meaning: 'does not start with the value, ignoring case', finds: atStart, ...not },
  end: { meaning: 'ends with the value, ignoring case', finds: atEnd },
  not_end: { meaning: 'does not end with the value, ignoring case', finds: atEnd, ...not },
  matches: { meaning: 'matches the pattern (% any text, _ any character, \\ escapes), ignoring case', finds: asPattern },
  does_not_match: { meaning: 'does not match the pattern, ignoring case', finds: asPattern, ...not },
};

export const matches: readonly Predicate[] = Object.entries(rows).flatMap(([name, row]) =>
  variants(name, { ...row, on: ['text', 'labels'] }).map((variant) => matching(row, variant)),
);

function matching({ finds, negative }: Match, { list, ...variant }: Variant): Predicate {
  const { pattern, live, min = 0, anchor, end = String } = finds;
  const isShort = (value: Value) => [...String(value)].length < min;
  return {
    ...variant,
    ...(live ? { live } : {}),
    negative: () => negative === true,
    ofMissing: () => false,
    trigrams: {
      help: (values) => !values.every(isShort),
      // PostgreSQL uses no index for LIKE ALL.
      findWithin: (values) => min > 0 && !negative && list !== 'ALL' && !values.some(isShort),
    },
    test: (column, kind, values) => {
      const compared = comparisonOf(values.map((value) => pattern(String(value))));
      const { patterns } = compared;
      const operator = negative ? compared.negated : compared.operator;
      const short = values.every(isShort);
      const as = (text: Sql) => compared.as((short ? unindexed : folded)(text));
      const one = as(sql`${patterns[0]}::text`);
      // As a subquery it is not folded anew for each row in a generic plan.
      const value = short ? sql`(SELECT ${one})` : one;
      const wanted = list
        ? sql`${raw(list)} (ARRAY(SELECT ${as(raw('wanted.text'))} FROM unnest(${patterns}::text[]) AS wanted(text)))`
        : value;
      const isLike = (text: Sql) => sql`${text} ${operator} ${wanted}`;
      if (kind === 'labels') return someLabel(column, isLike(as(label)), negative);
      const text = as(column);
      if (list || negative || !anchor) return isLike(text);
      const open = String(values[0]);
      const fixed = hasSigma(open) ? end(open) : open;
      if (fixed === '') return isLike(text);
      return sql`${isLike(text)} AND ${anchored(text, anchor, fixed)}`;
    },
  };
}

/**
 * Repeats a LIKE with one open end as a prefix test: trigrams alone are slow for a text that begins
 * like many others.
 */
const anchored = (text: Sql, anchor: (text: Sql) => Sql, value: string): Sql =>
  sql`${byCodePoint(anchor(text))} ^@ ${byCodePoint(anchor(folded(sql`${value}::text`)))}`;
