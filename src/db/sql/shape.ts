/**
 * What a kind of record looks like, as data: what is stored comes from schema.prisma, what may be
 * asked from the resource's `record.ts`. The selection compiler reads it to build records, the
 * search room to know what may be asked. A column, its GraphQL field and its name in the REST interface are
 * the same.
 */
import { casts, type tables } from '../../generated/shapes.ts';
import type { Sql } from './sql.ts';

/** How a column is stored, which decides what a search may ask of it and how it is written. */
export type ColumnKind = keyof typeof casts;

/** A way from one record to others of the same account: `theirs[key] = ours[value]` for each pair. */
export interface Association {
  readonly to: ShapeName;
  readonly many: boolean;
  /** Column of the other record → column of this one. `account_id` is always compared too. */
  readonly on: Readonly<Record<string, string>>;
  /** Whether the others are removed together with this one. */
  readonly cascades?: boolean;
  /** A table in between, for many-to-many: its columns → this record's, and the other's → its. */
  readonly through?: {
    readonly table: ShapeName;
    readonly on: Readonly<Record<string, string>>;
  };
  /**
   * Whether a search may follow it, and so everything searchable behind it; `first`: from the record
   * that is searched alone.
   */
  readonly searchable?: boolean | 'first';
  /** Columns, stored or `computed`, that a list is ordered by; `id` when not given. */
  readonly order?: readonly string[];
}

/**
 * A column that is not stored: it is computed from what this row stores and from another row of the account,
 * its source. In SQL the rows are written as `$row` and `$by`, and the account's id as `$account`.
 */
export interface ComputedColumn {
  readonly kind: ColumnKind;
  readonly by: ShapeName;
  /** This row's column that holds the other's id; there always is that other. */
  readonly key: string;
  /** Columns of the other row that it takes; lists may be long, and so lie outside of that row (TOAST). */
  readonly needs: { readonly plain: readonly string[]; readonly lists: readonly string[] };
  readonly value: string;
  /**
   * The value where a single number of the other suffices, which is short to prepare: `of` is that
   * number, or null where it does not suffice; `value` names it as `$of`.
   */
  readonly mostly: { readonly of: string; readonly value: string };
  /**
   * Columns by which the rows of one other have the order of their values; with the account and the key, all
   * that the value takes of its own row.
   */
  readonly order: readonly [string, ...string[]];
  /** A SELECT of what these columns are where the value is `$value`. */
  readonly at: string;
}

/** A value that follows from the row, or from records of its own. */
export interface DerivedColumn {
  readonly kind: ColumnKind;
  /** SQL in which the row is written as `$row`, and the account's id as `$account`; null of a missing row. */
  readonly value: string;
  /** The kinds of records beside the row that it is taken from, and whose read scopes it takes. */
  readonly from: readonly ShapeName[];
}

export interface Shape {
  readonly table: ShapeName;
  /** The GraphQL type of its records, as Prisma's model. */
  readonly type: string;
  /** Stored columns that a record may show and a search may name. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Those of them that may be null. */
  readonly nullable: readonly string[];
  /** Fields that are not stored: SQL over the row's alias, which is written as `$row`. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** Columns that a record shows or a search may name, and that are computed from other rows. */
  readonly computed?: Readonly<Record<string, ComputedColumn>>;
  /** The same for columns that follow from the row, or from records of its own. */
  readonly derived?: Readonly<Record<string, DerivedColumn>>;
  /**
   * Of records with an order that is not stored: the ids of those that stand before and behind one, or null,
   * as SQL of a JSON list. The row is written as `$row`, and the account's id as `$account`.
   */
  readonly neighbours?: string;
  readonly associations: Readonly<Record<string, Association>>;
  /** Columns, stored or `computed`, that a search may name. */
  readonly searchable: readonly string[];
  /**
   * Those of them that GraphQL alone shows: the REST interface has them neither in records nor in
   * searches.
   */
  readonly unspecified?: readonly string[];
  /** Other names that a search knows some of them by. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Columns that `q` looks at, folded together in this order: the row has them as `folded`, and what it would
   * have is said by the database's function `folded_<table>_<version>` of these columns.
   */
  readonly foundBy?: readonly string[];
  /** An association to one record whose first such column `q` looks at as well. */
  readonly foundWith?: string;
  /**
   * Other ways to write a number that was typed: digits.
   * @param country of the account, in which numbers without a country code are read
   */
  readonly numberForms?: (typed: string, country: string | null) => readonly string[];
  /** Columns that with the account are those of one row at most; the id is not listed. */
  readonly unique?: readonly (readonly string[])[];
}

/** Every kind of record has the name of its table. */
export type ShapeName = keyof typeof tables;

/** One record of a kind, as actions and the audit trail call it. */
export type RecordType<T extends ShapeName = ShapeName> = (typeof tables)[T]['one'];

/** Names of a kind of record's columns. */
export type ColumnOf<T extends ShapeName> = keyof (typeof tables)[T]['columns'] & string;

export type Shapes = Readonly<Record<ShapeName, Shape>>;

/** What of a record is wanted: compiled from a GraphQL selection, once per document. */
export interface Selection {
  /** Columns and computed fields. */
  readonly fields: readonly string[];
  readonly relations: readonly Relation[];
  /**
   * The same in the form and order of an answer. Where it is given, records are built in that form,
   * and nobody has to read them again; otherwise they are built for use cases: fields by their
   * names, free-form JSON as text and timestamps as PostgreSQL writes them.
   */
  readonly shown?: readonly OutputField[];
  /** Whether an operation reads nothing else. */
  readonly isAlone?: boolean;
}

/** A member of a record as an answer has it. */
export interface OutputField {
  /** Its name there. */
  readonly as: string;
  /** The field, or the association of the relation; `__typename` is the record's type. */
  readonly field: string;
  readonly relation?: Relation;
}

export interface Relation {
  /** Key under which the record holds it, unlike any field's (`@deals`). */
  readonly key: string;
  readonly association: string;
  readonly selection: Selection;
  /** For a list: how many at most, and after how many. */
  readonly limit?: number;
  readonly offset?: number;
  /** For a list: which of its records, where not all, and in which order. */
  readonly filter?: ListFilter;
  /** Whether the number of the records stands for the list. */
  readonly isCount?: boolean;
}

/** A search within a list, as SQL over the alias of its rows. It is composed for any account. */
export interface ListFilter {
  readonly where: (alias: string) => Sql;
  /** The joins that an order needs, and what follows ORDER BY; the list's own order when not given. */
  readonly order?: (alias: string) => { readonly joins: Sql; readonly by: Sql };
}

/** What kind of value a column has, stored or not; undefined where there is no such column. */
export const kindOf = (
  { columns, computed, derived }: Shape,
  column: string,
): ColumnKind | undefined => columns[column] ?? computed?.[column]?.kind ?? derived?.[column]?.kind;

/**
 * The type that a column's values are sent as.
 * @throws {Error} when there is no such column
 */
export function castOf({ table, columns }: Shape, column: string): string {
  const kind = columns[column];
  if (!kind) throw new Error(`${table} has no ${column}`);
  return casts[kind];
}
