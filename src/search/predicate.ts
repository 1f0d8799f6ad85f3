import type { ColumnKind } from '../db/shape.ts';
import type { Sql } from '../db/sql.ts';

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
  /** Whether a value is a pattern in which `%`, `_` and `\` are live. */
  readonly live?: true;
  /**
   * Whether, over several records, it says that none of them differs (`not_eq`: no child is
   * equal) instead of that one of them matches.
   */
  negative(values: readonly Value[]): boolean;
  /** Whether it is true of a record that is not there. */
  ofMissing(values: readonly Value[]): boolean;
  /** The SQL of it; `column` is an expression of the given kind. */
  test(column: Sql, kind: ColumnKind, values: readonly Value[]): Sql;
  /** The comparison that it is, and with which of several values. */
  readonly compares?: { readonly operator: string; readonly list?: List };
  /** What indexes of trigrams do for one that looks for texts in a text, which alone has it. */
  readonly trigrams?: Trigrams;
}

/** Which of several values must fulfil a comparison. */
export type List = 'ANY' | 'ALL';

export interface Trigrams {
  /** Whether they narrow it down for some of the values; else every row must be looked at. */
  help(values: readonly Value[]): boolean;
  /** Whether they find it in several texts put together: a text has it when a part of it does. */
  findWithin(values: readonly Value[]): boolean;
}

/** A predicate as it stands, with `_any` and with `_all`. */
export interface Variant extends Pick<Predicate, 'name' | 'meaning' | 'takes' | 'on'> {
  readonly list: List | undefined;
}

/** @param list what the plain predicate takes a list as, where it does */
export function variants(
  name: string,
  { meaning, on, list }: { meaning: string; on: readonly ColumnKind[]; list?: List },
): readonly Variant[] {
  // One label is spoken of, so a list of them is not taken.
  const listed = { takes: 'list', on: on.filter((kind) => kind !== 'labels') } as const;
  const any = `${meaning}, for at least one of the values`;
  const all = `${meaning}, for each of the values`;
  return [
    { name, meaning, list, ...(list ? listed : { takes: 'value', on }) },
    { name: `${name}_any`, meaning: any, list: 'ANY', ...listed },
    { name: `${name}_all`, meaning: all, list: 'ALL', ...listed },
  ];
}
