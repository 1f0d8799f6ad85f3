import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { isRestoration } from '../audit/entry.ts';
import type { FeedPosition } from './cursor.ts';
import type { Horizon } from './horizon.ts';

/** How many entries one page looks through for those that are wanted; where it finds few it ends early. */
const maxLookedThrough = 10_000;

/** Bytes of what changed on one page, which has one change at least. */
const maxBytes = 1024 * 1024;

export interface FeedQuery {
  readonly accountId: number;
  readonly after: FeedPosition;
  /** Ids of entries that are known already. */
  readonly seen: readonly number[];
  /** Actions of entries that are wanted. */
  readonly actions: readonly string[];
  readonly limit: number;
  /** Up to where is read. */
  readonly horizon: Horizon;
}

/** What every row of a page says of the whole. */
interface About {
  /** Whether the place that was asked from is still there. */
  readonly is_known: boolean;
  /** Whether more of those that were looked through are wanted. */
  readonly is_cut: boolean;
  /** Order and id of the last entry that was looked through, where more were not. */
  readonly looked_through: readonly [number, number] | null;
  /** Order and id of the last entry that can be read, where all of them were looked through. */
  readonly newest: readonly [number, number] | null;
}

/** What a change has of the entry that it is made of. */
export interface ChangeColumns {
  readonly record_type: string;
  readonly record_id: number;
  /** As JSON. */
  readonly before: string | null;
  readonly after: string | null;
  readonly user_id: number | null;
  readonly token_id: number | null;
  readonly request_id: string;
}

/** An entry, as changes are made of it. */
export interface Entry extends ChangeColumns {
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  readonly restored: boolean;
}

/** A row of a page: an entry, or nothing of one where there is none. */
export interface Row extends About, Entry {
  readonly change_order: number | null;
}

/** Entries behind a place, as far as none can come in between any more. */
const entries = (columns: string, { accountId, after: { order, id }, horizon }: FeedQuery): Sql =>
  sql`SELECT ${raw(columns)} FROM audit_entries WHERE account_id = ${accountId}
      AND (change_order, id) > (${order}::bigint, ${id}::bigint) AND change_order < ${horizon.order}`;

const inOrder = raw('ORDER BY change_order, id');
const backwards = raw('ORDER BY change_order DESC, id DESC LIMIT 1');
const looked = raw(String(maxLookedThrough));
const last = raw(String(maxLookedThrough - 1));
const isOn = (limit: number): Sql =>
  sql`(place <= ${limit} AND bytes_before < ${raw(String(maxBytes))})`;

/**
 * One page, in one statement and so in one snapshot: a row for each change, one without any where
 * there is none.
 */
export const pageStatement = (query: FeedQuery): Sql => {
  const { accountId, after, seen, actions, limit } = query;
  const place = 'ARRAY[change_order, id]';
  return sql`WITH found AS MATERIALIZED (
      SELECT *, row_number() OVER inside AS place, sum(bytes) OVER inside - bytes AS bytes_before FROM (
        SELECT *, coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) AS bytes
        FROM (${entries('*', query)} ${inOrder} LIMIT ${looked}) AS looked
        WHERE action = ANY(${actions}::text[]) AND id <> ALL(${seen}::bigint[]) LIMIT ${limit + 1}
      ) AS wanted
      WINDOW inside AS (ORDER BY change_order, id ROWS UNBOUNDED PRECEDING)
    ), rest AS MATERIALIZED (
      SELECT EXISTS (SELECT FROM found WHERE NOT ${isOn(limit)}) AS is_cut
    )
    SELECT ${after.id} = 0 OR EXISTS (SELECT FROM audit_entries WHERE account_id = ${accountId}
        AND change_order = ${after.order} AND id = ${after.id}) AS is_known,
      is_cut,
      CASE WHEN NOT is_cut THEN (${entries(place, query)} ${inOrder} OFFSET ${last} LIMIT 1) END AS looked_through,
      CASE WHEN NOT is_cut THEN (${entries(place, query)} ${backwards}) END AS newest,
      page.change_order, page.id, page.created_at, page.action, page.record_type, page.record_id,
      page.before, page.after, page.user_id, page.token_id, page.request_id, page.restored
    FROM rest LEFT JOIN (SELECT *, ${isRestoration} AS restored FROM found WHERE ${isOn(limit)}) AS page ON true
    ORDER BY page.change_order, page.id`;
};
