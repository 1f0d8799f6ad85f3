/** Predicates that look for a text in a text, ignoring case. */
import { raw, type Sql, sql } from '../db/sql.ts';
import { byCodePoint, label, someLabel } from './comparisons.ts';
import { type Predicate, type Value, type Variant, variants } from './predicate.ts';

interface Match {
  readonly meaning: string;
  readonly finds: Place;
  readonly negative?: true;
}

/** Where in a text the value must stand. */
interface Place {
  /** The value as a pattern of LIKE. */
  readonly pattern: (value: string) => string;
  readonly live?: true;
  /** Characters of a value that trigrams narrow down; fewer make every row be looked at. */
  readonly least?: number;
  /** What of a text must begin with the value's: an index in that order finds it. */
  readonly anchor?: (text: Sql) => Sql;
}

const escaped = (text: string) => text.replaceAll(/[%_\\]/g, '\\$&');

const anywhere: Place = { pattern: (text) => `%${escaped(text)}%`, least: 3 };
const atStart: Place = { pattern: (text) => `${escaped(text)}%`, anchor: (text) => text };
const atEnd: Place = {
  pattern: (text) => `%${escaped(text)}`,
  anchor: (text) => sql`reverse(${text})`,
};
const asPattern: Place = { pattern: (text) => text, live: true };

/**
 * A text as all its spellings in upper and lower case have it, the Unicode way, whatever the
 * database's own locale. The migrations create the collation, and the trigram indexes hold texts
 * that are folded by it: left to themselves they would fold as the database's locale does.
 */
const folded = (text: Sql) => sql`lower(${text} COLLATE "unicode_case")`;

/** Folded as no trigram index has it: for what is short one would be read whole. */
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
  const operator = raw(negative ? 'NOT LIKE' : 'LIKE');
  const { pattern, live, least = 0, anchor } = finds;
  const isShort = (value: Value) => [...String(value)].length < least;
  return {
    ...variant,
    ...(live ? { live } : {}),
    negative: () => negative === true,
    ofMissing: () => false,
    trigrams: {
      help: (values) => !values.every(isShort),
      // PostgreSQL uses no index for LIKE ALL.
      findWithin: (values) => least > 0 && !negative && list !== 'ALL' && !values.some(isShort),
    },
    test: (column, kind, values) => {
      const patterns = values.map((value) => pattern(String(value)));
      const short = values.every(isShort);
      const as = short ? unindexed : folded;
      const one = as(sql`${patterns[0]}::text`);
      // In a plan for any values it would be folded anew for each row.
      const value = short ? sql`(SELECT ${one})` : one;
      const wanted = list
        ? sql`${raw(list)} (ARRAY(SELECT ${as(raw('wanted.text'))} FROM unnest(${patterns}::text[]) AS wanted(text)))`
        : value;
      const fulfils = (text: Sql) => sql`${text} ${operator} ${wanted}`;
      if (kind === 'labels') {
        if (!negative) return someLabel(column, fulfils(as(label)));
        return sql`NOT ${someLabel(column, sql`NOT ${fulfils(as(label))}`)}`;
      }
      const text = as(column);
      if (list || negative || !anchor) return fulfils(text);
      return sql`${fulfils(text)} AND ${anchored(text, anchor, values[0])}`;
    },
  };
}

/**
 * What a LIKE with one open end comes to, said once more: trigrams alone are slow for a text that
 * begins as many others do.
 */
const anchored = (text: Sql, anchor: (text: Sql) => Sql, value: Value | undefined): Sql =>
  sql`${byCodePoint(anchor(text))} ^@ ${byCodePoint(anchor(folded(sql`${value}::text`)))}`;
