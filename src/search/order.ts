import { columnValue } from '../db/sql/computed_column.ts';
import { type ColumnKind, type ComputedColumn, kindOf, type Shapes } from '../db/sql/shape.ts';
import { type AccountId, join, raw, type Sql, sql } from '../db/sql/sql.ts';
import { associationOf } from './associations.ts';
import { byCodePoint } from './comparisons.ts';
import { onlyValue } from './computed_column.ts';
import { Joins } from './joins.ts';
import type { Search, Words } from './search.ts';
import { rankOf } from './word_search.ts';

/** What a search orders by, one after the other. */
export interface SortKey {
  /** Associations to follow from the record. */
  readonly path: readonly string[];
  readonly column: string;
  /**
   * Undefined for the fraction of a rank, which is not an integer and in no column that a search
   * may name.
   */
  readonly kind: ColumnKind | undefined;
  readonly descending: boolean;
  /** How the column is computed, where no column of the row itself has the order of its values. */
  readonly computed?: ComputedColumn;
  /** What was typed, where records are in order of how well they match it. */
  readonly words?: Words;
}

/** A value to order by, and `ASC` or `DESC`. */
export interface Key extends Pick<SortKey, 'kind' | 'descending'> {
  readonly value: Sql;
  readonly direction: Sql;
}

export interface Order {
  /** Joins that the keys need, each of at most one row. */
  readonly joins: Sql;
  /** Ends with the id, so that the order is total. Nulls are last, and first when descending. */
  readonly keys: readonly [Key, ...Key[]];
}

/**
 * What a search orders by, down to the id, so that the order is total.
 * @param ofOne whether all ordered rows have the same source row even though the conditions do not say so
 */
export function sortKeysOf(search: Search, shapes: Shapes, ofOne = false): readonly SortKey[] {
  const own = shapes[search.shape];
  const keys = new Map<string, SortKey>();
  const sorted = new Set<string>();
  for (const { attribute, descending, words } of search.sorts) {
    const { path, column: of, kind } = attribute;
    if (words) {
      keys.set(of, { path, column: of, kind, descending, words });
      continue;
    }
    const full = [...path, of].join('.');
    // A second sort by the same attribute changes nothing.
    if (sorted.has(full)) continue;
    sorted.add(full);
    const shape = path.reduce((at, step) => shapes[associationOf(at, step).to], own);
    const computed = shape.computed?.[of];
    if (
      computed &&
      path.length === 0 &&
      (ofOne || onlyValue(search.where, computed.key) !== undefined)
    ) {
      for (const by of computed.order) {
        keys.set(by, { path, column: by, kind: kindOf(shape, by), descending });
      }
    } else keys.set(full, { path, column: of, kind, descending, ...(computed && { computed }) });
    if (full === 'id') break;
  }
  if (!keys.has('id')) keys.set('id', byId);
  return [...keys.values()];
}

const byId: SortKey = { path: [], column: 'id', kind: 'integer', descending: false };

/**
 * The order that a search asks for.
 * @param alias name of the row that is ordered; besides it `o1`, `o2`, … are taken
 * @param ofOne as {@link sortKeysOf} takes it
 */
export function compileOrder(
  search: Search,
  alias: string,
  shapes: Shapes,
  accountId: AccountId,
  ofOne = false,
): Order {
  const joins = new Joins({ shape: shapes[search.shape], alias }, shapes, accountId);
  const sqlOf = ({ path, column: of, kind, computed, words }: SortKey): Sql => {
    const row = joins.rowAt(path);
    if (words) {
      const { foundWith } = row.shape;
      const other = foundWith === undefined ? undefined : joins.rowAt([...path, foundWith]);
      return rankOf(row, words, other);
    }
    if (computed) return joins.computed(computed, row);
    const value = columnValue(row.shape, of, row.alias, accountId);
    return kind === 'text' ? byCodePoint(value) : value;
  };
  const keyOf = (key: SortKey): Key => ({
    kind: key.kind,
    descending: key.descending,
    value: sqlOf(key),
    direction: key.descending ? descends : ascends,
  });
  const [first = byId, ...more] = sortKeysOf(search, shapes, ofOne);
  const keys: Order['keys'] = [keyOf(first), ...more.map(keyOf)];
  return { joins: joins.sql, keys };
}

const ascends = raw('ASC');
const descends = raw('DESC');

/** What stands after ORDER BY for these keys. */
export const orderBy = (keys: Order['keys']): Sql =>
  join(
    keys.map(({ value, direction }) => sql`${value} ${direction}`),
    ', ',
  );
