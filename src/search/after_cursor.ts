/** Conditions for the rows after a cursor. */
import { raw, type Sql, sql } from '../db/sql/sql.ts';
import type { Key } from './order.ts';
import { kinds } from './values.ts';

/** A key of an order and its value at the cursor: SQL, as one of {@link boundOf} is, or null. */
export interface KeyBound extends Pick<Key, 'value' | 'descending'> {
  readonly at: Sql | null;
}

/** At least one; the last is the id, which is never null. */
export type KeyBounds = readonly [KeyBound, ...KeyBound[]];

const double = raw('double precision');

/** @param at a value as it is sent, or SQL of one */
export const boundOf = ({ value, kind, descending }: Key, at: unknown): KeyBound => ({
  value,
  descending,
  at: at === null ? null : sql`${at}::${kind ? kinds[kind].type : double}`,
});

const same = ({ value, at }: KeyBound): Sql => (at ? sql`${value} = ${at}` : sql`${value} IS NULL`);

/** Nulls are last, and first when descending. */
function beyond({ value, at, descending }: KeyBound): Sql | undefined {
  if (at) return descending ? sql`${value} < ${at}` : sql`${value} > ${at}`;
  return descending ? sql`${value} IS NOT NULL` : undefined;
}

/** The condition that a row comes after the cursor. */
export function isAfter([first, next, ...more]: KeyBounds): Sql {
  const past = beyond(first);
  if (!next) return past ?? raw('false');
  const among = sql`${same(first)} AND ${isAfter([next, ...more])}`;
  const nulls = first.at && !first.descending ? sql`OR ${first.value} IS NULL` : raw('');
  return past ? sql`(${past} ${nulls} OR (${among}))` : sql`(${among})`;
}

/**
 * The same as consecutive ranges, each of which an index in this order can serve; with an OR PostgreSQL would scan
 * that index from its beginning.
 */
export function rangesAfter([first, next, ...more]: KeyBounds): readonly Sql[] {
  const past = beyond(first);
  if (!next) return past ? [past] : [];
  return [
    sql`${same(first)} AND ${isAfter([next, ...more])}`,
    ...(past ? [past] : []),
    ...(first.at && !first.descending ? [sql`${first.value} IS NULL`] : []),
  ];
}
