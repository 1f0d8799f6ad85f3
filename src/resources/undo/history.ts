/** Finds the entries that are to be taken back, and what was written of the same records since. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { Fault, invalid } from '../../errors/errors.ts';
import type { Portions } from '../../lib/portions.ts';
import { type Kind, kinds } from './kinds.ts';
import { type Entry, type RecordReversal, reversalOf } from './runs.ts';
import { remainsOf, valuesOf } from './values.ts';

/** Which entries are to be taken back: those that meet all that is given. */
export interface Choice {
  readonly after?: string | null;
  readonly before?: string | null;
  readonly token_id?: number | null;
  readonly user_id?: number | null;
  readonly request_id?: string | null;
}

/** How many entries one call takes back at most, and how many it reads at most for that. */
export const mostChosen = 5_000;
export const mostSeen = 50_000;
/** How much the chosen entries may hold in all. */
const mostBytes = 32 * 1024 * 1024;

/** A record with the first of its entries that is to be taken back. */
export interface FirstEntry {
  readonly kind: Kind;
  readonly id: number;
  readonly first: number;
}

/**
 * Which of the chosen user and token the account never had. One that was removed is known from the trail, at
 * least as long as the trail holds anything that they did.
 */
export async function findUnknown(
  { db, viewer: { accountId } }: UnitOfWork,
  { user_id, token_id }: Choice,
): Promise<readonly ('user_id' | 'token_id')[]> {
  const isIn = (table: 'users' | 'api_tokens', type: 'user' | 'token', id: number) =>
    sql`EXISTS (SELECT FROM ${name(table)} WHERE account_id = ${accountId} AND id = ${id}::bigint)
      OR EXISTS (SELECT FROM audit_entries
        WHERE account_id = ${accountId} AND record_type = ${type} AND record_id = ${id}::bigint)`;
  const [known] = await db.query<{ user_id: boolean; token_id: boolean }>(
    sql`SELECT ${user_id ? isIn('users', 'user', user_id) : raw('true')} AS user_id,
      ${token_id ? isIn('api_tokens', 'token', token_id) : raw('true')} AS token_id`,
    adhoc,
  );
  return (['user_id', 'token_id'] as const).filter((field) => known?.[field] === false);
}

/** @throws {Fault} NOT_FOUND for a request that has changed nothing, as far as the trail reaches back */
export async function requireRequest(
  { db, viewer: { accountId } }: UnitOfWork,
  id: string,
): Promise<void> {
  const [known] = await db.query<{ exists: boolean }>(
    sql`SELECT EXISTS (SELECT FROM audit_entries
      WHERE account_id = ${accountId} AND request_id = ${id}) AS exists`,
    adhoc,
  );
  if (known?.exists) return;
  throw new Fault('NOT_FOUND', [`The audit trail has no request ${JSON.stringify(id)}`]);
}

interface EntryTotals extends FirstEntry {
  readonly entries: number;
  readonly bytes: number;
  /** The least and the greatest id of the users who wrote the entries. */
  readonly user_from: number | null;
  readonly user_to: number | null;
}

/**
 * The records of the chosen entries.
 * @throws {Fault} VALIDATION_FAILED when there are too many, and when a request is named alone that several
 *   users have made: clients may choose the ids of their requests
 */
export async function findRecords(ctx: UnitOfWork, choice: Choice): Promise<readonly FirstEntry[]> {
  const rows = await ctx.db.query<EntryTotals>(
    sql`SELECT record_type AS kind, record_id AS id, min(id) AS first, count(*) AS entries,
        sum(octet_length(before::text))::bigint AS bytes,
        min(user_id) AS user_from, max(user_id) AS user_to
      FROM (
        SELECT record_type, record_id, id, before, user_id FROM audit_entries
        WHERE account_id = ${ctx.viewer.accountId} AND ${isChosen(choice)} AND ${isOfRecord}
        LIMIT ${mostChosen + 1}
      ) AS chosen
      GROUP BY record_type, record_id ORDER BY first`,
    adhoc,
  );
  const sum = (of: 'entries' | 'bytes') => rows.reduce((all, row) => all + (row[of] ?? 0), 0);
  if (sum('entries') > mostChosen) {
    throw invalid(
      'after',
      coded('too_many', `matches more than ${mostChosen} changes: choose a shorter period`),
    );
  }
  if (sum('bytes') > mostBytes) {
    throw invalid('after', coded('too_large', 'matches too much data: choose a shorter period'));
  }
  const { request_id, user_id, token_id } = choice;
  const users = new Set(rows.flatMap(({ user_from, user_to }) => [user_from, user_to]));
  if (request_id && !user_id && !token_id && users.size > 1) {
    throw invalid('request_id', 'is that of requests of several users: give user_id as well');
  }
  return rows;
}

/** How many records have their trails read together, and how many entries one statement returns. */
const batch = { records: 100, entries: 1_000 } as const;

/**
 * How each of these records is to be reversed, in the order of their changes. Trails are read a few at a time: the rows of
 * a statement are read in one turn of the event loop, and whatever lives until a trail is complete is work for the garbage
 * collector.
 * @throws {Fault} VALIDATION_FAILED when too much was written of them since
 */
export async function readReversals(
  ctx: UnitOfWork,
  choice: Choice,
  records: readonly FirstEntry[],
  portions: Portions,
): Promise<readonly RecordReversal[]> {
  const reversals: { readonly reversal: RecordReversal; readonly first: HistoryRow }[] = [];
  let rest = mostSeen;
  for (let from = 0; from < records.length; from += batch.records) {
    const trails = new Map<string, Trail>();
    const some = records.slice(from, from + batch.records);
    for (let page: HistoryPage | undefined = { records: some, after: undefined }; page; ) {
      const rows: readonly HistoryRow[] = await readPage(ctx, choice, page);
      rest -= rows.length;
      if (rest < 0) {
        throw invalid(
          'after',
          `leads to more than ${mostSeen} changes since: choose a shorter period`,
        );
      }
      await portions.each(rows, (row) => {
        const key = `${row.kind} ${row.record_id}`;
        const trail = trails.get(key) ?? { first: row, entries: [] };
        trail.entries.push(entryOf(row));
        trails.set(key, trail);
      });
      page = rows.length < batch.entries ? undefined : { records: some, after: rows.at(-1) };
    }
    await portions.each(trails.values(), ({ first, entries }) =>
      reversals.push({ reversal: reversalOf(first.kind, first.record_id, entries), first }),
    );
  }
  reversals.sort(
    ({ first: one }, { first: other }) =>
      one.change_order - other.change_order || one.id - other.id,
  );
  return reversals.map(({ reversal: asked }) => asked);
}

/** The entries of a record since the first chosen one, oldest first. */
interface Trail {
  readonly first: HistoryRow;
  readonly entries: Entry[];
}

/** What {@link reversalOf} reads of a row. */
export const entryOf = ({ before, remains, ...row }: HistoryRow): Entry => ({
  ...row,
  before: valuesOf(row.kind, before),
  remains: remainsOf(row.kind, remains),
});

interface HistoryPage {
  readonly records: readonly FirstEntry[];
  /** The last entry of the page before. */
  readonly after: HistoryRow | undefined;
}

const readPage = (
  ctx: UnitOfWork,
  choice: Choice,
  { records, after }: HistoryPage,
): Promise<readonly HistoryRow[]> =>
  ctx.db.query<HistoryRow>(
    sql`SELECT e.id, e.change_order, e.record_type AS kind, e.record_id, split_part(e.action, '.', 2) AS verb,
        e.request_id AS request, ${isChosen(choice)} AS chosen, e.erased_at IS NOT NULL AS erased,
        ARRAY(SELECT json_object_keys(coalesce(e.after, e.before))) AS fields,
        CASE WHEN ${isChosen(choice)} AND e.action NOT LIKE '%.create' THEN e.before END AS before,
        CASE WHEN ${isChosen(choice)} THEN e.remains END AS remains
      FROM unnest(${records.map(({ kind }) => kind)}::text[], ${records.map(({ id }) => id)}::bigint[],
          ${records.map(({ first }) => first)}::bigint[]) AS record (kind, id, first)
      JOIN audit_entries AS e ON e.account_id = ${ctx.viewer.accountId}
        AND e.record_type = record.kind AND e.record_id = record.id AND e.id >= record.first
      WHERE ${isOfRecord}
        ${after ? sql`AND (e.change_order, e.id) > (${after.change_order}::bigint, ${after.id}::bigint)` : empty}
      ORDER BY e.change_order, e.id LIMIT ${batch.entries}`,
    adhoc,
  );

export interface HistoryRow extends Omit<Entry, 'before' | 'remains'> {
  readonly change_order: number;
  readonly kind: Kind;
  readonly record_id: number;
  /** JSON, as is that after it. */
  readonly before: string | null;
  readonly remains: string | null;
}

const isOfRecord = sql`record_type = ANY(${kinds}::text[])
  AND split_part(action, '.', 2) IN ('create', 'update', 'delete')`;

function isChosen({ after, before, token_id, user_id, request_id }: Choice): Sql {
  const conditions = [
    ...(after ? [sql`created_at >= ${after}::timestamptz`] : []),
    ...(before ? [sql`created_at < ${before}::timestamptz`] : []),
    ...(token_id ? [sql`token_id IS NOT DISTINCT FROM ${token_id}::bigint`] : []),
    ...(user_id ? [sql`user_id IS NOT DISTINCT FROM ${user_id}::bigint`] : []),
    ...(request_id ? [sql`request_id = ${request_id}`] : []),
  ];
  return sql`(${join(conditions, ' AND ')})`;
}
