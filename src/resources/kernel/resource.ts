/**
 * Each resource describes its records in its `record.ts`: what a client may send and search, beside
 * the columns that schema.prisma declares. All reading and writing is derived from that.
 */
import type { Association, ColumnOf, RecordType, Shape, ShapeName } from '../../db/sql/shape.ts';
import { tables } from '../../generated/shapes.ts';
import type { Field, Fields, ParsedInput } from './fields/input.ts';
import type { Participation } from './participation.ts';

/** A field that is read but not stored as it is: a use case derives something from it. */
interface UnstoredField {
  readonly stored: false;
}

export const unstored = <F extends Field<unknown>>(field: F): F & UnstoredField => ({
  ...field,
  stored: false,
});

/** The values of all stored fields: those sent, and defaults for the others. */
export type Values<F extends Fields> = {
  readonly [K in keyof F as F[K] extends UnstoredField ? never : K]: F[K] extends Field<infer T>
    ? T
    : never;
};

/** A stored field must have the name of a column. */
type StoredFieldsOnly<T extends ShapeName, F> = {
  readonly [K in keyof F]: K extends ColumnOf<T> ? unknown : UnstoredField;
};

interface Decisions<T extends ShapeName, F, P extends Participation>
  extends Pick<
    Shape,
    | 'computed'
    | 'derived'
    | 'expressions'
    | 'neighbours'
    | 'aliases'
    | 'foundBy'
    | 'foundWith'
    | 'numberForms'
    | 'unique'
  > {
  /** What a client may send, in the order in which faults are reported. */
  readonly fields: F & StoredFieldsOnly<T, F>;
  /** Columns, stored or `computed`, that a search may name. */
  readonly searchable: readonly string[];
  /** The same for columns that only GraphQL shows, so that REST's searches do not reveal them. */
  readonly unspecified?: readonly string[];
  /** Associations that a search may follow to everything searchable behind them. */
  readonly followed?: readonly string[];
  /** Associations that it may follow when these records are what is searched. */
  readonly followedFirst?: readonly string[];
  /**
   * What distinguishes two versions: the row (default), or only the client-writable fields and
   * `updated_at`, for tables whose rows the service also updates itself or that each Citus node has a
   * copy of.
   */
  readonly versions?: 'fields';
  /** Associations by way of another: name → one of ours, then one of the record it leads to. */
  readonly through?: Readonly<Record<string, readonly [string, string]>>;
  /** Records that a column names and no key holds: they may be gone, and then there are none. */
  readonly mentions?: Readonly<Record<string, { readonly to: ShapeName; readonly key: string }>>;
  /** Columns, stored or `computed`, that order an association's records; `id` unless given. */
  readonly order?: Readonly<Record<string, readonly string[]>>;
  readonly takesPart: P;
}

export interface Resource<F extends Fields = Fields, One extends RecordType = RecordType>
  extends Shape {
  readonly one: One;
  readonly fields: F;
  /** The columns of stored fields, in the order of the fields. */
  readonly written: readonly string[];
  /** The default of each, which null asks for too; undefined when the field is required. */
  readonly blank: Readonly<Record<string, unknown>>;
}

/** Describes the records of a table. */
export function resource<T extends ShapeName, F extends Fields, const P extends Participation>(
  table: T,
  {
    fields,
    searchable,
    unspecified = [],
    followed = [],
    followedFirst = [],
    through = {},
    mentions = {},
    order = {},
    versions,
    takesPart,
    ...api
  }: Decisions<T, F, P>,
): Resource<F, RecordType<T>> & { readonly takesPart: P } {
  const { type, one, columns, nullable } = tables[table];
  const written = Object.keys(fields).filter((name) => !('stored' in (fields[name] ?? {})));
  const ways = associations(table, through);
  for (const [name, { to, key }] of Object.entries(mentions)) {
    ways[name] = { to, many: false, on: { id: key } };
  }
  const names = [...new Set([...followed, ...followedFirst, ...Object.keys(ways)])];
  return {
    ...api,
    takesPart,
    expressions: {
      // No two versions of a row have the same: it is the transaction that wrote it.
      version: versions ? ofFields([...written, 'updated_at'], columns) : '$row.xmin',
      ...api.expressions,
    },
    table,
    type,
    one,
    columns,
    nullable,
    searchable: [...searchable, ...unspecified],
    unspecified,
    fields,
    written,
    blank: Object.fromEntries(written.map((column) => [column, defaultOf(fields[column])])),
    associations: Object.fromEntries(
      names.map((name) => {
        const way = ways[name];
        if (!way) throw new Error(`${table} has no ${name}`);
        const searchable = followedFirst.includes(name) ? 'first' : followed.includes(name);
        return [name, { ...way, searchable, ...(order[name] && { order: order[name] }) }];
      }),
    ),
  };
}

const ofFields = (fields: readonly string[], columns: object): string =>
  `md5(ROW(${fields.filter((field) => field in columns).map((field) => `$row."${field}"`)})::text)`;

const defaultOf = (field: Field<unknown> | undefined): unknown =>
  field && 'value' in field.cleared ? field.cleared.value : undefined;

function associations(
  table: ShapeName,
  through: Readonly<Record<string, readonly [string, string]>>,
): Record<string, Association> {
  const relations: Readonly<Record<string, Association>> = tables[table].relations;
  const ways = { ...relations };
  for (const [name, [ours, theirs]] of Object.entries(through)) {
    const between = relations[ours];
    const others: Readonly<Record<string, Association>> | undefined =
      between && tables[between.to].relations;
    const beyond = others?.[theirs];
    if (!between || !beyond) throw new Error(`${table} has no ${ours} with a ${theirs}`);
    ways[name] = { ...beyond, many: true, through: { table: between.to, on: between.on } };
  }
  return ways;
}

/**
 * The values of all stored fields: decided, else sent, else the default.
 * @param decided by rules, from what was sent
 * @throws {Error} for a required field that is missing, which the caller should have refused
 */
export function withDefaults<F extends Fields>(
  { written, blank, one }: Resource<F>,
  fields: ParsedInput<NoInfer<F>>,
  decided: Partial<Values<NoInfer<F>>> = {},
): Values<F> {
  const own: Readonly<Record<string, unknown>> = fields;
  const derived: Readonly<Record<string, unknown>> = decided;
  const values: Record<string, unknown> = { ...blank };
  for (const column of written) {
    const value = derived[column] === undefined ? own[column] : derived[column];
    if (value !== undefined) values[column] = value;
    else if (values[column] === undefined) {
      throw new Error(`a ${one} without ${column} was not refused`);
    }
  }
  return values as Values<F>;
}
