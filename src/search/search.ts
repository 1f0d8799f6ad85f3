/** A parsed search: conditions with typed values, and no names that a client made up. */
import type { ColumnKind, ShapeName } from '../db/sql/shape.ts';
import type { Predicate, Value } from './predicate.ts';

export interface Search {
  readonly shape: ShapeName;
  readonly where: Group;
  /** The most significant first; ties are broken by the id. */
  readonly sorts: readonly Sort[];
  /** What was typed as `q`, which is among the conditions, too. */
  readonly words?: Words;
}

/** Conditions and groups, all of which must hold, or (`any`) at least one. */
export interface Group {
  readonly any: boolean;
  readonly conditions: readonly Condition[];
  readonly groups: readonly Group[];
}

/** A predicate on one attribute, or on several, of which all or any must meet it. */
export interface Condition {
  readonly any: boolean;
  readonly attributes: readonly Attribute[];
  readonly predicate: Predicate;
  /** Values for each of `attributes`, as its kind reads them. */
  readonly values: readonly (readonly Value[])[];
  /** What was typed, where the predicate is that of `q`. */
  readonly words?: Words;
}

export interface Attribute {
  /** Associations to follow from the record. */
  readonly path: readonly string[];
  readonly column: string;
  readonly kind: ColumnKind;
  /** In a free-form object, the key whose text is meant. */
  readonly key?: string;
}

/** Whether two attributes are the same column; of free-form objects, whatever the key. */
export const isSame = (one: Attribute, other: Attribute): boolean =>
  one.column === other.column && one.path.join() === other.path.join();

export interface Sort {
  readonly attribute: Attribute;
  readonly descending: boolean;
  /** What was typed, where records are in order of how well they match it. */
  readonly words?: Words;
}

/** What was typed, folded. */
export interface Words {
  /** In the order typed, each once. */
  readonly all: readonly string[];
  /** Everything that was typed, with one blank between words. */
  readonly phrase: string;
  /** Those that are no numbers. */
  readonly others: readonly string[];
  /** What the numbers among them are if they are one: digits, each way that a record may hold them. */
  readonly numbers: readonly string[];
  /** What must be there instead of the words themselves, for what is like them to be found. */
  readonly loose?: readonly Loose[];
}

/** Words, or patterns of LIKE, of which one suffices. */
export type Loose =
  | { readonly words: readonly string[] }
  | { readonly patterns: readonly string[] };

/** Limits of one search: enough for any honest client, too little to exhaust the database. */
export const limits = {
  conditions: 100,
  nesting: 10,
  values: 1000,
  steps: 3,
  /** PostgreSQL sorts for a deep page on disk, together with every key. */
  sorts: 8,
  /** UTF-16 units of a key or a value: as many as the longest text has that a record may hold. */
  text: 131_070,
  /** Levels of groups in all; those that only wrap another group do not count as nesting. */
  wrapping: 64,
  /** Characters of what is typed as `q`. */
  typed: 255,
  words: 8,
} as const;

export const everything: Group = { any: false, conditions: [], groups: [] };
