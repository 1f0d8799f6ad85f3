/** What was removed and is not back, as the trail has it. */
import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import type { Shape, Shapes } from '../../db/sql/shape.ts';
import { join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { timestampJson } from '../../db/sql/timestamp.ts';
import { notInList } from '../../errors/codes.ts';
import type { DeletedRecord } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { compileOrder, orderBy } from '../../search/order.ts';
import { type Pagination, pagination, readPage } from '../../search/page.ts';
import { parseSearch } from '../../search/parse.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import type { SearchArguments } from '../kernel/read/page.ts';
import { records, tablesIn } from '../records.ts';
import { shapes } from '../shapes.ts';
import { restorable } from './restore.ts';

/** A page looks at so many removals at most, of those that match the newest. */
const max = 10_000;

const types = new Map(tablesIn('changes').map((table) => [records[table].one, table] as const));

/** What a search may ask of the removals, which stand in a query of their own. */
const shape: Shape = {
  table: 'audit_entries',
  type: 'DeletedRecord',
  columns: {
    id: 'integer',
    record_id: 'integer',
    name: 'text',
    deleted_at: 'timestamp',
    user_id: 'integer',
  },
  nullable: ['name', 'user_id'],
  associations: {},
  searchable: ['record_id', 'name', 'deleted_at', 'user_id'],
};
const searched: Shapes = { ...shapes, audit_entries: shape };

/** What names a record of any kind: the first of these that it had. */
const names = ['full_name', 'name', 'product_name', 'title', 'content', 'email', 'phone', 'kind'];

interface Arguments extends Pick<SearchArguments, 'query' | 'page' | 'per_page'> {
  readonly record_type: unknown;
}

interface DeletedPage {
  readonly data: DeletedRecord[];
  readonly pagination: Pagination;
}

/**
 * A page of the records of a kind that were removed and are not back, the last removed first unless the query
 * sorts. It looks at ten thousand removals at most: the newest of those that the query describes.
 * @throws {Fault} FORBIDDEN for all but admins; INVALID_SEARCH for a kind, query, page or size that cannot be read
 */
export async function listDeletions(
  ctx: Context,
  account: unknown,
  args: Arguments,
): Promise<DeletedPage> {
  const accountId = authorize(ctx.viewer, account, 'audit_entry.read');
  const faults = faultsOf(ctx, 'INVALID_SEARCH');
  const type = [...types.keys()].find((one) => one === args.record_type);
  if (!type) faults.add('record_type', notInList([...types.keys()]));
  const search = parseSearch(args.query, 'audit_entries', searched);
  const { page, perPage } = readPage(args.page, args.per_page, faults);
  if (!type) throw new Error('an unknown kind was not refused');
  const { joins, keys } = compileOrder(search, 'r', searched, accountId);
  const order = search.sorts.length > 0 ? orderBy(keys) : newestFirst;
  const answer = await readAnswer<
    DeletedRecord[],
    { readonly count: number; readonly looked: number }
  >(ctx, {
    query: () => sql`WITH looked AS MATERIALIZED (
        SELECT r.* FROM (${removals(accountId, type)}) AS r WHERE ${compileWhere(search, 'r', searched, accountId)}
        ORDER BY ${newestFirst} LIMIT ${raw(String(max))}
      ), last AS (
        SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY change_order DESC, id DESC) AS nth FROM looked
      ), listed AS MATERIALIZED (
        SELECT * FROM last AS r WHERE nth = 1 AND NOT EXISTS (
          SELECT FROM ${name(types.get(type) ?? '')} AS back WHERE back.account_id = ${accountId} AND back.id = r.record_id)
      )
      SELECT (SELECT count(*) FROM listed) AS count, (SELECT count(*) FROM looked) AS looked, (
        SELECT coalesce(json_agg(json_build_object('record_id', record_id, 'name', name,
          'deleted_at', ${timestampJson(raw('deleted_at'))}::json, 'user_id', user_id, 'restorable', restorable)), '[]'::json)
        FROM (SELECT r.* FROM listed AS r ${joins} ORDER BY ${order} LIMIT ${perPage} OFFSET ${(page - 1) * perPage}) AS shown
      )::text AS data`,
    text: 'data',
    others: ['count', 'looked'],
  });
  const { value: data = [], row = { count: 0, looked: 0 } } = answer ?? {};
  const counted = row.looked < max ? 'exact' : 'at_least';
  return {
    data,
    pagination: pagination(page, perPage, row.count, data.length, undefined, counted),
  };
}

const newestFirst = raw('r.change_order DESC, r.id DESC');

/**
 * The removals of a kind. What an erasure is at work on, or has been, has no name and cannot come back. The
 * condition on the action is that of the index `audit_entries_deletions_idx`.
 */
function removals(accountId: number, type: string): Sql {
  const isErased = sql`(entry.erased_at IS NOT NULL
    OR EXISTS (SELECT FROM erasures WHERE erasures.account_id = ${accountId} AND (
      (entry.record_type = 'contact' AND erasures.contact_id = entry.record_id)
      OR erasures.contact_id = (entry.before ->> 'contact_id')::bigint))
    OR EXISTS (SELECT FROM erasure_records AS one WHERE one.account_id = ${accountId} AND (
      (one.record_type = entry.record_type AND one.record_id = entry.record_id)
      OR (one.record_type = 'deal' AND one.record_id = (entry.before ->> 'deal_id')::bigint))))`;
  const named = join(names.map((field) => sql`NULLIF(entry.before ->> ${raw(`'${field}'`)}, '')`));
  return sql`SELECT entry.id, entry.change_order, entry.record_id, entry.user_id, entry.created_at AS deleted_at,
      CASE WHEN NOT ${isErased} THEN left(coalesce(${named}), 255) END AS name,
      ${restorable.some((one) => one === type)}::boolean AND NOT ${isErased} AS restorable
    FROM audit_entries AS entry
    WHERE entry.account_id = ${accountId} AND entry.record_type = ${type} AND entry.action LIKE '%.delete'`;
}
