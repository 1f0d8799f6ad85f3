/**
 * The predicates: what a key ends with, what it takes, and what it asks of a column. A row of
 * `comparisons` or `flags` is all that a predicate is; every comparison exists as it stands, with
 * `_any` and with `_all`.
 */
import type { ColumnKind } from '../db/shape.ts';
import { raw, type Sql, sql } from '../db/sql.ts';

/** What a condition compares with, as it goes to the database. */
export type Value = string | number | boolean;

/** A predicate takes one value, a list of values, or a flag (`false` asks the opposite). */
export type Takes = 'value' | 'list' | 'flag';

export interface Predicate {
  readonly name: string;
  /** What it is true of, as a sentence about the attribute. */
  readonly meaning: string;
  readonly takes: Takes;
  /** Kinds of column that it can be asked of. */
  readonly on: readonly ColumnKind[];
  /** The kind that its values are read as, where that is not the column's. */
  readonly reads?: ColumnKind;
  /** Whether a value is a pattern in which `%`, `_` and `\` are live. */
  readonly live: boolean;
  /** The comparison that it is, and with which of several values. */
  readonly compares?: Pick<Comparison, 'operator' | 'list'>;
  /** Whether it takes more than a comparison. */
  readonly costly: boolean;
  /** Whether the best way to answer it depends on the values, and not on the predicate alone. */
  varies(values: readonly Value[]): boolean;
  /**
   * Whether, over several records, it says that none of them differs (`not_eq`: no child is
   * equal) instead of that one of them matches.
   */
  negative(values: readonly Value[]): boolean;
  /** Whether a text fulfils it as soon as a part of the text does, which trigrams find. */
  ofWhole(values: readonly Value[]): boolean;
  /** Whether it is true of a record that is not there. */
  ofMissing(values: readonly Value[]): boolean;
  /** The SQL of it; `column` is an expression of the given kind. */
  test(column: Sql, kind: ColumnKind, values: readonly Value[]): Sql;
}

/**
 * A text as all its spellings in upper and lower case have it, the Unicode way, whatever the
 * database's own locale. The migrations create the collation, and the trigram indexes hold texts
 * that are folded by it: left to themselves they would fold as the database's locale does.
 */
const folded = (text: Sql) => sql`lower(${text} COLLATE "unicode_case")`;

/** Texts are compared by code point, which is the same in every database, and so are indexed. */
export const codePoints = raw('COLLATE "C"');

interface Comparison {
  readonly meaning: string;
  readonly on: readonly ColumnKind[];
  readonly operator: string;
  /** How the plain predicate relates to a list, where it takes one. */
  readonly list?: 'ANY' | 'ALL';
  readonly negative?: true;
  /** As what its text, and the value's, is compared. */
  readonly as?: (text: Sql) => Sql;
  /** Makes the value a pattern. */
  readonly pattern?: (text: string) => string;
  /** What of a text must begin with the value's: an index in that order finds it. */
  readonly anchor?: (text: Sql) => Sql;
  /** What is compared, where it is not the column itself. */
  readonly of?: (column: Sql) => Sql;
  readonly reads?: ColumnKind;
}

const every: readonly ColumnKind[] = ['integer', 'text', 'timestamp', 'boolean', 'labels'];
const stored: readonly ColumnKind[] = ['integer', 'text', 'timestamp', 'boolean'];
const texts: readonly ColumnKind[] = ['text', 'labels'];

const escaped = (text: string) => text.replaceAll(/[%_\\]/g, '\\$&');
const anywhere = (text: string) => `%${escaped(text)}%`;
const first = (text: string) => `${escaped(text)}%`;
const last = (text: string) => `%${escaped(text)}`;

/** Parts of texts that are too short for trigrams: every row of the account must be looked at. */
const isShort = ({ pattern }: Comparison, values: readonly Value[]): boolean =>
  pattern === anywhere && values.every((value) => [...String(value)].length < 3);

const forwards = (text: Sql) => text;
const backwards = (text: Sql) => sql`reverse(${text})`;

const byCodePoint = (text: Sql) => sql`${text} ${codePoints}`;

/** Folded as no trigram index has it: for what is short one would be read whole. */
const unindexed = (text: Sql) => byCodePoint(folded(text));

const order = { on: every, as: byCodePoint } as const;
const like = { on: texts, operator: 'LIKE', as: folded } as const;
const unlike = { ...like, operator: 'NOT LIKE', negative: true } as const;

// biome-ignore format: one predicate a line reads as the table that it is
const comparisons: Readonly<Record<string, Comparison>> = {
  eq: { meaning: 'equals the value', ...order, operator: '=' },
  not_eq: { meaning: 'does not equal the value', on: every, operator: '<>', negative: true },
  lt: { meaning: 'is less than the value', ...order, operator: '<' },
  lteq: { meaning: 'is less than the value or equal to it', ...order, operator: '<=' },
  gt: { meaning: 'is greater than the value', ...order, operator: '>' },
  gteq: { meaning: 'is greater than the value or equal to it', ...order, operator: '>=' },
  in: { meaning: 'equals one of the values', ...order, on: stored, operator: '=', list: 'ANY' },
  not_in: { meaning: 'equals none of the values', on: stored, operator: '<>', list: 'ALL', negative: true },
  cont: { meaning: 'contains the value, ignoring case', ...like, pattern: anywhere },
  not_cont: { meaning: 'does not contain the value, ignoring case', ...unlike, pattern: anywhere },
  i_cont: { meaning: 'contains the value, ignoring case', ...like, pattern: anywhere },
  not_i_cont: { meaning: 'does not contain the value, ignoring case', ...unlike, pattern: anywhere },
  start: { meaning: 'starts with the value, ignoring case', ...like, pattern: first, anchor: forwards },
  not_start: { meaning: 'does not start with the value, ignoring case', ...unlike, pattern: first },
  end: { meaning: 'ends with the value, ignoring case', ...like, pattern: last, anchor: backwards },
  not_end: { meaning: 'does not end with the value, ignoring case', ...unlike, pattern: last },
  matches: { meaning: 'matches the pattern (% any text, _ any character, \\ escapes), ignoring case', ...like },
  does_not_match: { meaning: 'does not match the pattern, ignoring case', ...unlike },
};

interface Flag {
  readonly meaning: string;
  readonly on: readonly ColumnKind[];
  /** What it asks when the value is true, and when it is false. */
  readonly asks: readonly [yes: Question, no: Question];
  readonly negative?: 'always' | 'when false';
}

interface Question {
  readonly ofMissing: boolean;
  readonly test: (column: Sql, kind: ColumnKind) => Sql;
}

const isNull: Question = { ofMissing: true, test: (x) => sql`${x} IS NULL` };
const isNotNull: Question = { ofMissing: false, test: (x) => sql`${x} IS NOT NULL` };
const isBlank: Question = {
  ofMissing: true,
  test: (x, kind) => (kind === 'text' ? sql`(${x} IS NULL OR ${x} = '')` : isNull.test(x, kind)),
};
const isPresent: Question = {
  ofMissing: false,
  test: (x, kind) => (kind === 'text' ? sql`${x} <> ''` : isNotNull.test(x, kind)),
};
const isTrue: Question = { ofMissing: false, test: (x) => sql`${x}` };
const isFalse: Question = { ofMissing: false, test: (x) => sql`NOT ${x}` };

// biome-ignore format: one predicate a line reads as the table that it is
const flags: Readonly<Record<string, Flag>> = {
  true: { meaning: 'is true', on: ['boolean'], asks: [isTrue, isFalse] },
  not_true: { meaning: 'is false', on: ['boolean'], asks: [isFalse, isTrue], negative: 'always' },
  false: { meaning: 'is false', on: ['boolean'], asks: [isFalse, isTrue] },
  not_false: { meaning: 'is true', on: ['boolean'], asks: [isTrue, isFalse], negative: 'always' },
  present: { meaning: 'is neither null nor an empty text', on: stored, asks: [isPresent, isBlank] },
  blank: { meaning: 'is null or an empty text', on: stored, asks: [isBlank, isPresent] },
  null: { meaning: 'is null', on: stored, asks: [isNull, isNotNull] },
  not_null: { meaning: 'is not null', on: stored, asks: [isNotNull, isNull], negative: 'when false' },
};

/** What each kind of value is in the database. */
const types: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint',
  text: 'text',
  timestamp: 'timestamptz',
  boolean: 'boolean',
  labels: 'text',
  json: 'text',
};

/** Some label fulfils a comparison; a negative one: none contradicts it. */
function ofLabels(
  labels: Sql,
  { operator, negative }: Comparison,
  compare: (label: Sql) => Sql,
  wanted: readonly Value[],
): Sql {
  // An index finds whole labels.
  if (operator === '=') return sql`${labels} @> ${wanted}::text[]`;
  if (operator === '<>') return sql`(${labels} @> ${wanted}::text[]) IS NOT TRUE`;
  const each = sql`SELECT FROM unnest(${labels}) AS label(text) WHERE`;
  const one = compare(raw('label.text'));
  return negative ? sql`NOT EXISTS (${each} NOT ${one})` : sql`EXISTS (${each} ${one})`;
}

/**
 * What a LIKE with one open end comes to, said once more: trigrams alone are slow for a text that
 * begins as many others do.
 */
const anchored = (asked: Sql, anchor: (text: Sql) => Sql, text: Value | undefined): Sql =>
  sql`${byCodePoint(anchor(asked))} ^@ ${byCodePoint(anchor(folded(sql`${text}::text`)))}`;

function comparison(
  name: string,
  row: Comparison,
  suffix: '' | 'any' | 'all',
): readonly [string, Predicate] {
  const { operator, on, pattern = String, of = (column: Sql) => column } = row;
  const { as: usual = (text: Sql) => text } = row;
  const list = suffix === '' ? row.list : suffix === 'any' ? 'ANY' : 'ALL';
  const meanings = {
    '': row.meaning,
    any: `${row.meaning}, for at least one of the values`,
    all: `${row.meaning}, for each of the values`,
  };
  const full = suffix === '' ? name : `${name}_${suffix}`;
  const matches = operator.endsWith('LIKE');
  const predicate: Predicate = {
    name: full,
    meaning: meanings[suffix],
    takes: list ? 'list' : 'value',
    // One label is spoken of, so a list of them is not taken.
    on: list ? on.filter((kind) => kind !== 'labels') : on,
    ...(row.reads ? { reads: row.reads } : {}),
    compares: { operator, ...(list ? { list } : {}) },
    live: matches && !row.pattern,
    costly: matches,
    varies: (values) => matches && !isShort(row, values),
    negative: () => row.negative === true,
    // PostgreSQL uses no index for LIKE ALL.
    ofWhole: (values) =>
      row.pattern === anywhere &&
      !row.negative &&
      list !== 'ALL' &&
      !values.some((value) => isShort(row, [value])),
    ofMissing: () => false,
    test: (column, kind, values) => {
      const wanted = matches ? values.map((value) => pattern(String(value))) : values;
      const short = isShort(row, values);
      const as = short ? unindexed : usual;
      const compare = (asked: Sql) => {
        const type = raw(types[row.reads ?? kind]);
        if (!list) {
          const value = sql`${wanted[0]}::${type}`;
          const one = matches ? as(value) : value;
          // In a plan for any values it would be folded anew for each row.
          return sql`${asked} ${raw(operator)} ${short ? sql`(SELECT ${one})` : one}`;
        }
        const all = matches
          ? sql`ARRAY(SELECT ${as(raw('wanted.text'))} FROM unnest(${wanted}::text[]) AS wanted(text))`
          : sql`${wanted}::${type}[]`;
        return sql`${asked} ${raw(operator)} ${raw(list)} (${all})`;
      };
      if (kind !== 'labels') {
        const asked = of(kind === 'text' ? as(column) : column);
        if (!row.anchor || list) return compare(asked);
        return sql`${compare(asked)} AND ${anchored(asked, row.anchor, values[0])}`;
      }
      return ofLabels(column, row, (label) => compare(of(as(label))), wanted);
    },
  };
  return [full, predicate];
}

function flag(name: string, { meaning, on, asks, negative }: Flag): readonly [string, Predicate] {
  const question = (values: readonly Value[]) => asks[values[0] === true ? 0 : 1];
  const predicate: Predicate = {
    name,
    meaning: `${meaning}; with false, the opposite`,
    takes: 'flag',
    on,
    live: false,
    costly: false,
    varies: () => false,
    ofWhole: () => false,
    negative: ([value]) => negative === 'always' || (negative === 'when false' && value === false),
    ofMissing: (values) => question(values).ofMissing,
    test: (column, kind, values) => question(values).test(column, kind),
  };
  return [name, predicate];
}

const table: ReadonlyMap<string, Predicate> = new Map([
  ...Object.entries(comparisons).flatMap(([name, row]) => [
    comparison(name, row, ''),
    comparison(name, row, 'any'),
    comparison(name, row, 'all'),
  ]),
  ...Object.entries(flags).map(([name, row]) => flag(name, row)),
]);

/** The predicate of exactly this name. */
export const predicateNamed = (name: string): Predicate | undefined => table.get(name);

const longest = Math.max(...[...table.keys()].map((name) => name.length));

/**
 * The predicate that a key ends with: the longest that stands after an underscore.
 * @returns it, and what stands before it
 */
export function endingOf(key: string): { predicate: Predicate; rest: string } | undefined {
  for (let at = Math.max(0, key.length - longest - 1); at < key.length; at++) {
    if (key[at] !== '_') continue;
    const predicate = table.get(key.slice(at + 1));
    if (predicate) return { predicate, rest: key.slice(0, at) };
  }
  return undefined;
}

/** The reference of the language: every predicate, what it is true of and what it takes. */
export const predicates: readonly Pick<Predicate, 'name' | 'meaning' | 'takes'>[] = [
  ...table.values(),
].map(({ name, meaning, takes }) => ({ name, meaning, takes }));
