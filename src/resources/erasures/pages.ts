/** Going through an account's rows by their ids, a page at a time, so that no statement takes long. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';

/** The rows with ids above `from`, up to `to`. */
export interface Page {
  readonly from: number;
  readonly to: number;
}

/** What a page holds at most; of a single row it may be more. */
export interface PageSize {
  readonly rows: number;
  /** As they are stored, which counts for the audit trail alone: its entries are of any size. */
  readonly bytes: number;
}

/** The id of a table's last row of the account; 0 when there is none. */
export async function lastId({ db, viewer }: UnitOfWork, table: string): Promise<number> {
  const [row] = await db.query<{ last: number }>(
    sql`SELECT coalesce(max(id), 0)::bigint AS last FROM ${name(table)} WHERE account_id = ${viewer.accountId}`,
    adhoc,
  );
  return row?.last ?? 0;
}

/**
 * The page that follows a row.
 * @param last the id at which pages end
 * @returns undefined when no row follows
 */
export async function pageAfter(
  { db, viewer }: UnitOfWork,
  table: string,
  from: number,
  last: number,
  { rows, bytes }: PageSize,
): Promise<Page | undefined> {
  const size = table === 'audit_entries' ? entrySize : raw('0');
  const [row] = await db.query<{ to: number | null }>(
    sql`SELECT max(id) AS "to" FROM (
        SELECT id, sum(size) OVER (ORDER BY id) - size AS ahead FROM (
          SELECT id, ${size} AS size FROM ${name(table)}
          WHERE account_id = ${viewer.accountId} AND id > ${from} AND id <= ${last}
          ORDER BY id LIMIT ${rows}) AS row) AS page
      WHERE ahead < ${bytes}`,
    adhoc,
  );
  return typeof row?.to === 'number' ? { from, to: row.to } : undefined;
}

const entrySize = raw('coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)');

/** Whether a row is on a page. */
export const isOn = ({ from, to }: Page, alias: string): Sql =>
  sql`${raw(`"${alias}".id`)} > ${from} AND ${raw(`"${alias}".id`)} <= ${to}`;

/**
 * The WITH query `page`: entries of the trail that are on a page. It is read by itself, since PostgreSQL knows
 * how many records there are, but not that one of them may have a million entries.
 */
export const entriesOn = ({ viewer }: UnitOfWork, page: Page): Sql =>
  sql`page AS MATERIALIZED (
      SELECT id, created_at, action, record_type, record_id, before, after FROM audit_entries AS entry
      WHERE entry.account_id = ${viewer.accountId} AND ${isOn(page, 'entry')})`;
