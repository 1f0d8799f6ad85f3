/** Cursors of a moment: what can be read then is behind them, whatever is still at work. */
import type { Queryable } from '../../db/database.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { Fault } from '../../errors/errors.ts';
import { beginning, type Cursor, type FeedPosition, maxSeen } from './cursor.ts';
import { type Horizon, readHorizon } from './horizon.ts';

const placesOf = (accountId: number, which: Sql): Sql =>
  sql`coalesce((SELECT json_agg(json_build_array(change_order, id) ORDER BY change_order, id) FROM (
      SELECT change_order, id FROM audit_entries WHERE account_id = ${accountId} AND ${which}
    ) AS place), '[]'::json)`;

/**
 * An expression of type json, for {@link cursorOf}: the cursor of the snapshot of the statement that it
 * stands in.
 * @param horizon read before
 */
export const cursorNow = (accountId: number, { incarnation, order }: Horizon): Sql =>
  sql`json_build_object('incarnation', ${incarnation}::text,
    'newest', ${placesOf(accountId, sql`change_order < ${order} ORDER BY change_order DESC, id DESC LIMIT 1`)},
    'seen', ${placesOf(accountId, sql`change_order >= ${order} LIMIT ${raw(String(maxSeen + 1))}`)})`;

type Pair = readonly [order: number, id: number];

const placeOf = ([order, id]: Pair): FeedPosition => ({ order, id });

/**
 * @param text what {@link cursorNow} came to
 * @returns undefined while the cursor would have to name too much
 */
export function cursorIn(text: string): Cursor | undefined {
  const row: { incarnation: string; newest: Pair[]; seen: Pair[] } = JSON.parse(text);
  const { incarnation, newest, seen } = row;
  if (seen.length > maxSeen) return undefined;
  const [place = beginning] = newest.map(placeOf);
  return { incarnation, ...place, seen: seen.map(placeOf) };
}

/**
 * The same for callers who asked for nothing but the cursor.
 * @throws {Fault} UNAVAILABLE where there is none
 */
export function cursorOf(text: string): Cursor {
  const cursor = cursorIn(text);
  if (cursor) return cursor;
  throw new Fault('UNAVAILABLE', [
    'There is no cursor of this moment while one long write is at work: try again soon',
  ]);
}

/** The cursor of this moment. */
export async function readNow(db: Queryable, accountId: number): Promise<Cursor> {
  const horizon = await readHorizon(db);
  const [row] = await db.query<{ cursor: string }>(
    sql`SELECT ${cursorNow(accountId, horizon)}::text AS cursor`,
    { reads: true },
  );
  return cursorOf(row?.cursor ?? '');
}
