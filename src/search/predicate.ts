import type { ColumnKind } from '../db/sql/shape.ts';
import type { Sql } from '../db/sql/sql.ts';

/** A value as it is sent to the database. */
export type Value = string | number | boolean;

/** A flag is true, or false to ask the opposite. */
export type Takes = 'value' | 'list' | 'flag';

export interface Predicate {
  readonly name: string;
  /** When it is true, as a sentence about the attribute. */
  readonly meaning: string;
  readonly takes: Takes;
  /** Kinds of column that it applies to. */
  readonly on: readonly ColumnKind[];
  /** Whether a value is a pattern, in which `%`, `_` and `\` have their special meaning. */
  readonly live?: true;
  /**
   * Whether, over several associated records, it must hold of all of them (`not_eq`: none is equal)
   * instead of one.
   */
  negative(values: readonly Value[]): boolean;
  /** Whether it is true of an associated record that does not exist. */
  ofMissing(values: readonly Value[]): boolean;
  /** Its SQL; `column` is an expression of the given kind. */
  test(column: Sql, kind: ColumnKind, values: readonly Value[]): Sql;
  /** For comparisons: the operator, and how it treats several values. */
  readonly compares?: { readonly operator: string; readonly list?: List };
  /** For predicates that look for a text within a text: how trigram indexes help. */
  readonly trigrams?: Trigrams;
}

/** Whether a comparison must hold for any or for all of several values. */
export type List = 'ANY' | 'ALL';

interface Trigrams {
  /** Whether they narrow down the rows for some of the values; otherwise all rows are read. */
  help(values: readonly Value[]): boolean;
  /** Whether they can find it in several texts put together, which contain it when one of them does. */
  findWithin(values: readonly Value[]): boolean;
}
