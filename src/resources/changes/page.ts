import type { Queryable } from '../../db/database.ts';
import { isoTimestamp } from '../../db/sql/timestamp.ts';
import { Fault } from '../../errors/errors.ts';
import type { Verb } from '../kernel/participation.ts';
import { beginning, type Cursor, type FeedPosition, movedTo, writeCursor } from './cursor.ts';
import { readHorizon } from './horizon.ts';
import { verbOf } from './record_types.ts';
import { type ChangeColumns, type FeedQuery, pageStatement, type Row } from './statement.ts';

/** A change as clients get it. */
export interface Change extends ChangeColumns {
  readonly cursor: string;
  readonly at: string;
  readonly action: Verb;
  /** True of a record that came back, null of all others. */
  readonly restored: boolean | null;
}

export interface Changes {
  readonly data: Change[];
  /** From where to go on. */
  readonly next: Cursor;
  /** Whether it is worth going on at once. */
  readonly more: boolean;
  /** About how much of it there is. */
  readonly bytes: number;
}

/** Which page of the feed is wanted. */
export interface PageRequest {
  readonly accountId: number;
  /** Undefined: from the oldest that is kept. */
  readonly after: Cursor | undefined;
  readonly actions: readonly string[];
  readonly limit: number;
}

/** The refusal of a cursor that leads nowhere any more. */
export const cursorGone = () =>
  new Fault('CURSOR_GONE', [
    'What follows this cursor is not known any more: begin again with a copy of the records, and the cursor that comes with it',
  ]);

/**
 * Reads a page of the feed.
 * @throws {Fault} CURSOR_GONE where changes may be missing behind the cursor
 */
export async function readPage(db: Queryable, request: PageRequest): Promise<Changes> {
  const { accountId, actions, limit, after } = request;
  const seen = after?.seen.map(({ id }) => id) ?? [];
  const horizon = await readHorizon(db);
  const query: FeedQuery = { accountId, after: after ?? beginning, seen, actions, limit, horizon };
  const rows = await db.query<Row>(pageStatement(query), { reads: true });
  const [about] = rows;
  if (!about) throw new Error('the feed did not say where it is');
  const { is_known, is_cut, looked_through } = about;
  const { incarnation } = horizon;
  if (after && (after.incarnation !== incarnation || !is_known)) throw cursorGone();
  const from = after ?? { incarnation, ...beginning, seen: [] };
  const entries = rows.filter(({ change_order }) => change_order !== null);
  const data = entries.map((row) => changeOf(row, from));
  return {
    data,
    next: movedTo(endOf(about, entries.at(-1)) ?? from, from),
    more: is_cut || looked_through !== null,
    bytes: entries.reduce((sum, row) => sum + bytesOf(row), 0),
  };
}

/** The last place that was looked at. */
function endOf(
  { is_cut, looked_through, newest }: Row,
  last: Row | undefined,
): FeedPosition | undefined {
  if (is_cut && last) return placeOf(last);
  const [order, id] = looked_through ?? newest ?? [];
  return order === undefined || id === undefined ? undefined : { order, id };
}

const placeOf = ({ change_order, id }: Row): FeedPosition => ({ order: change_order ?? 0, id });

/** Of what surrounds the two texts there is about as much in each change. */
const bytesOf = ({ before, after }: Row) => 300 + (before?.length ?? 0) + (after?.length ?? 0);

const changeOf = (row: Row, from: Cursor): Change => ({
  cursor: writeCursor(movedTo(placeOf(row), from)),
  at: isoTimestamp(row.created_at),
  action: verbOf(row.action),
  record_type: row.record_type,
  record_id: row.record_id,
  before: row.before,
  after: row.after,
  user_id: row.user_id,
  token_id: row.token_id,
  request_id: row.request_id,
  restored: row.restored || null,
});
