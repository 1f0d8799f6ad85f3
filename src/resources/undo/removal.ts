/** Reads from the trail what one removal took. */
import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { invalid } from '../../errors/errors.ts';
import type { Portions } from '../../lib/portions.ts';
import { takenAlong } from '../kernel/write/removal.ts';
import { entryOf, type HistoryRow } from './history.ts';
import { type Kind, kinds, tableOf } from './kinds.ts';
import { type RecordReversal, removedOf } from './runs.ts';

/** The removal of a record, as the last entry about it says. */
export interface Removal {
  readonly kind: Kind;
  readonly id: number;
  /** Of the entry. */
  readonly entry: number;
  readonly request_id: string;
  /** When all of the request was written, as the database writes it. */
  readonly written_at: string;
  readonly is_erased: boolean;
}

/** How many records one call brings back, how much of them in bytes, and how many one statement reads. */
const max = { records: 50_000, bytes: 64 * 1024 * 1024 } as const;
const pageSize = 2_000;

/** How many entries of the account are looked through at once for those of the same request. */
const nearby = 20_000;

/**
 * What is asked of the record and of all that went with it, as the relations of schema.prisma say.
 * @throws {Fault} VALIDATION_FAILED when that is too much for one call
 */
export async function readRemoval(
  ctx: UnitOfWork,
  removal: Removal,
  portions: Portions,
): Promise<readonly RecordReversal[]> {
  const { ids, bytes } = await findEntries(ctx, removal);
  if (ids.length > max.records || bytes > max.bytes) {
    throw invalid('id', 'has more beneath it than one call can restore');
  }
  const reversals: RecordReversal[] = [];
  for (let from = 0; from < ids.length; from += pageSize) {
    const rows = await readEntries(ctx, ids.slice(from, from + pageSize));
    await portions.each(rows, (row) =>
      reversals.push(removedOf(row.kind, row.record_id, entryOf(row))),
    );
  }
  return reversals;
}

interface EntryPage {
  readonly ids: readonly number[];
  readonly bytes: number;
}

/**
 * Entries of the same request, by their ids. It wrote those of what goes along before that of the record, and
 * others of the account may stand between them, but not nearly as many as are looked through at once.
 */
async function findOfRequest(
  { db, viewer: { accountId } }: UnitOfWork,
  { entry, written_at }: Removal,
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let before: number | null = entry + 1; before !== null; ) {
    const pages: readonly Nearby[] = await db.query<Nearby>(
      sql`SELECT min(id) AS first, count(*) AS count,
          coalesce(array_agg(id) FILTER (WHERE created_at = ${written_at}::timestamptz), '{}') AS ids
        FROM (
          SELECT id, created_at FROM audit_entries WHERE account_id = ${accountId} AND id < ${before}::bigint
          ORDER BY id DESC LIMIT ${nearby}
        ) AS near`,
      adhoc,
    );
    const [page] = pages;
    ids.push(...(page?.ids ?? []));
    before = page && page.ids.length > 0 && page.count === nearby ? page.first : null;
  }
  return ids;
}

interface Nearby {
  readonly first: number | null;
  readonly count: number;
  readonly ids: readonly number[];
}

/** Finds the entries of its request that are about the record, what refers to it, and so on. */
async function findEntries(ctx: UnitOfWork, removal: Removal): Promise<EntryPage> {
  const { accountId } = ctx.viewer;
  const { kind, id, request_id } = removal;
  const near = await findOfRequest(ctx, removal);
  const links = takenAlong(tableOf[kind]);
  const columns = [...new Set(links.flatMap(({ parents }) => parents.map(({ column }) => column)))];
  const named = columns.map(
    (column) => sql`, (before ->> ${raw(`'${column}'`)})::bigint AS ${name(column)}`,
  );
  const steps = links.map(({ table, one, parents }) => {
    const conditions: Sql[] = parents.map(
      (parent) =>
        sql`${name(parent.column)} = ANY(ARRAY(SELECT record_id FROM ${name(`${parent.table}_gone`)}))`,
    );
    if (table === tableOf[kind]) conditions.push(sql`record_id = ${id}::bigint`);
    return sql`${name(`${table}_gone`)} AS MATERIALIZED (
      SELECT id, record_id, bytes FROM gone WHERE record_type = ${raw(`'${one}'`)} AND (${join(conditions, ' OR ')}))`;
  });
  const all = links.map(({ table }) => sql`SELECT id, bytes FROM ${name(`${table}_gone`)}`);
  const [row] = await ctx.db.query<EntryPage>(
    sql`WITH gone AS MATERIALIZED (
        SELECT id, record_type, record_id, octet_length(before::text) AS bytes${named.length > 0 ? join(named, '') : empty} FROM audit_entries
        WHERE account_id = ${accountId} AND id = ANY(${near}::bigint[]) AND request_id = ${request_id} AND action LIKE '%.delete'
          AND record_type = ANY(${kinds}::text[])
      ), ${join(steps)}
      SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, coalesce(sum(bytes), 0)::bigint AS bytes
      FROM (${join(all, ' UNION ALL ')}) AS along`,
    adhoc,
  );
  return row ?? { ids: [], bytes: 0 };
}

const readEntries = ({ db, viewer }: UnitOfWork, ids: readonly number[]): Promise<HistoryRow[]> =>
  db.query(
    sql`SELECT id, change_order, record_type AS kind, record_id, 'delete' AS verb, request_id AS request, true AS chosen,
        erased_at IS NOT NULL AS erased, ARRAY[]::text[] AS fields, before, remains
      FROM audit_entries WHERE account_id = ${viewer.accountId} AND id = ANY(${ids}::bigint[]) ORDER BY id`,
    adhoc,
  );
