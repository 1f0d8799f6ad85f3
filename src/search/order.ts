import type { Shapes } from '../db/shape.ts';
import { empty, join, raw, type Sql, sql } from '../db/sql.ts';
import { isTeller, tellerOf, tellers, toldValue } from '../db/told.ts';
import { column, joinOf, type Row, stepTo } from './associations.ts';
import { byCodePoint } from './comparisons.ts';
import type { Search } from './search.ts';
import { onlyValue } from './told.ts';

/** A value to order by, and `ASC` or `DESC`. */
interface Key {
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
 * The order that a search asks for.
 * @param alias name of the row that is ordered; besides it `o1`, `o2`, … are taken
 * @param ofOne whether all that is ordered is told by one row, if its conditions do not say so
 */
export function compileOrder(
  search: Search,
  alias: string,
  shapes: Shapes,
  accountId: number,
  ofOne = false,
): Order {
  const rows = new Map<string, Row>([['', { shape: shapes[search.shape], alias }]]);
  const joins: Sql[] = [];
  const rowAt = (path: readonly string[]): Row => {
    const known = rows.get(path.join('.'));
    if (known) return known;
    const before = rowAt(path.slice(0, -1));
    const step = stepTo(before, path.at(-1) ?? '', shapes, accountId, `o${rows.size}`);
    const { from, on } = joinOf(step);
    joins.push(sql`LEFT JOIN ${from} ON ${on}`);
    rows.set(path.join('.'), step.row);
    return step.row;
  };
  const keys = new Map<string, Key>();
  for (const { attribute, descending } of search.sorts) {
    const { path, column: of, kind } = attribute;
    const full = [...path, of].join('.');
    // A second sort by the same attribute changes nothing.
    if (keys.has(full)) continue;
    const row = rowAt(path);
    const direction = raw(descending ? 'DESC' : 'ASC');
    const told = row.shape.told?.[of];
    if (told && path.length === 0 && (ofOne || onlyValue(search.where, told.key) !== undefined)) {
      for (const by of told.order) keys.set(by, { value: column(alias, by), direction });
    } else if (told) {
      const by = tellerOf(row.alias);
      joins.push(
        sql`LEFT JOIN ${tellers(told, shapes, accountId, by)} ON ${isTeller(told, row.alias, by, accountId)}`,
      );
      keys.set(full, { value: toldValue(told, row.alias, by, accountId), direction });
    } else {
      const value = column(row.alias, of);
      keys.set(full, { value: kind === 'text' ? byCodePoint(value) : value, direction });
    }
    if (full === 'id') break;
  }
  const [first = byId(alias), ...more] = [...keys.values()];
  const total = keys.has('id') || keys.size === 0;
  return {
    joins: joins.length > 0 ? join(joins, ' ') : empty,
    keys: [first, ...more, ...(total ? [] : [byId(alias)])],
  };
}

/** What stands after ORDER BY for these keys. */
export const orderBy = (keys: Order['keys']): Sql =>
  join(
    keys.map(({ value, direction }) => sql`${value} ${direction}`),
    ', ',
  );

const byId = (alias: string): Key => ({ value: column(alias, 'id'), direction: raw('ASC') });
