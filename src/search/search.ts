/** A search as it was understood: conditions with typed values, free of any client's text. */
import type { ColumnKind, ShapeName } from '../db/shape.ts';
import type { Predicate, Value } from './predicate.ts';

export interface Search {
  readonly shape: ShapeName;
  readonly where: Group;
  /** In the order of their weight; the id comes after them all. */
  readonly sorts: readonly Sort[];
}

/** Conditions and groups of which all hold, or (`any`) at least one. */
export interface Group {
  readonly any: boolean;
  readonly conditions: readonly Condition[];
  readonly groups: readonly Group[];
}

/** One predicate asked of one attribute, or of several of which all or any must fulfil it. */
export interface Condition {
  readonly any: boolean;
  readonly attributes: readonly Attribute[];
  readonly predicate: Predicate;
  /** As each attribute's kind reads them: beside `attributes`, index by index. */
  readonly values: readonly (readonly Value[])[];
}

export interface Attribute {
  /** Associations to follow from the record. */
  readonly path: readonly string[];
  readonly column: string;
  readonly kind: ColumnKind;
  /** Of a free-form object, the key whose text is meant. */
  readonly key?: string;
}

export interface Sort {
  readonly attribute: Attribute;
  readonly descending: boolean;
}

/** What one search may ask for: enough for any honest one, too little to wear the database out. */
export const limits = {
  conditions: 100,
  nesting: 10,
  values: 1000,
  steps: 3,
  /** PostgreSQL sorts a deep page on disk, with all that it sorts by. */
  sorts: 8,
  /** Groups that hold nothing but one group say nothing and do not count as nesting, up to here. */
  wrapping: 64,
} as const;

export const everything: Group = { any: false, conditions: [], groups: [] };
