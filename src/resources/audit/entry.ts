/**
 * The audit trail: every write leaves entries, in the statement or transaction of the write, one for each
 * record that it created, changed or removed. An entry bears the moment that its record then does.
 */
import type { Action, ExportAction, OperatorAction, RefusedAction } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context/context.ts';
import {
  type AccountId,
  accountParameter,
  empty,
  join,
  name,
  raw,
  Sql,
  sql,
} from '../../db/sql/sql.ts';
import { tables } from '../../generated/shapes.ts';
import { JsonText, stringifyJson } from '../../json/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { type Trace, traceparentOf } from '../../lib/tracing.ts';
import { clock } from '../kernel/write/moment.ts';
import type { Changes, Values } from './changes.ts';
import { type AuditedTable, auditedRow, remainsOf, restoredRow } from './columns.ts';

/** What an entry says was done; `reorder`: positions in a stage or a pipeline shifted. */
export type AuditAction =
  | Action
  | OperatorAction
  | RefusedAction
  | ExportAction
  | `${AuditedTable['one']}.${'create' | 'update' | 'delete'}`
  | `${'stage' | 'pipeline'}.reorder`
  | 'event.due';

const nothing = raw('NULL::json');

/** Who writes, or what stands for them in SQL that is composed once. */
export interface Author {
  readonly viewer: {
    readonly accountId: AccountId;
    readonly userId: unknown;
    readonly tokenId: unknown;
  };
  readonly requestId: unknown;
  /** Undefined where nothing is traced. */
  readonly trace?: Trace | symbol | undefined;
  /** The program that calls; undefined where the trail does not say. */
  readonly client?: unknown;
}

/** Stands for anybody. */
export const anyAuthor: Author = {
  viewer: { accountId: accountParameter, userId: Symbol('user'), tokenId: Symbol('token') },
  requestId: Symbol('request'),
  trace: Symbol('trace'),
  client: Symbol('client'),
};

/** What {@link auditEntries} writes of an author. */
export const authorValues = ({
  viewer,
  requestId,
  trace,
  client = null,
}: Author): readonly unknown[] => [
  viewer.accountId,
  viewer.userId,
  viewer.tokenId,
  requestId,
  typeof trace === 'symbol' ? trace : spanIn(trace),
  client,
];

/** The span in which something is written, as W3C Trace Context has it; null where none is recorded. */
const spanIn = (trace: Trace | undefined): string | null =>
  trace?.current ? traceparentOf(trace.current.spanContext()) : null;

/**
 * @param entries as {@link entriesOf} returns them, in the order in which they are to be read: of parents before
 *   those of children where records are created, and after them where they are removed
 * @returns the INSERT of these entries
 */
export const auditEntries = (author: Author, ...entries: readonly Sql[]): Sql => {
  const [accountId, userId, tokenId, requestId, traceparent, client] = authorValues(author);
  return sql`INSERT INTO audit_entries
      (account_id, user_id, token_id, request_id, traceparent, client, action, record_type, record_id, before, after, created_at, remains)
    SELECT ${accountId}::bigint, NULLIF(${userId}::bigint, 0), ${tokenId}::bigint, ${requestId}, ${traceparent}::text, ${client}::text, entry.*
    FROM (${join(entries, ' UNION ALL ')}) AS entry`;
};

/** What of an entry does not follow from its row. */
interface Exceptions {
  /** The record's id; the row's own otherwise. */
  readonly id?: Sql;
  /** When the record was written; as its `updated_at` says otherwise. */
  readonly at?: Sql;
  /** Which of the rows have an entry; all otherwise. */
  readonly where?: Sql;
  /** Of a removal, what bringing the record back takes besides its values, as an SQL expression of type json. */
  readonly remains?: Sql;
}

/**
 * @param row the WITH query that returned the rows written
 * @returns a SELECT of entries, one for each of these rows
 */
export const entriesOf = (
  action: AuditAction,
  row: string,
  { before, after }: Changes,
  {
    id = sql`${name(row)}.id`,
    at = sql`${name(row)}.updated_at`,
    where,
    remains = nothing,
  }: Exceptions = {},
): Sql =>
  sql`SELECT ${raw(`'${action}', '${action.slice(0, action.indexOf('.'))}'`)}, ${id}, ${asJson(before)}, ${asJson(after)}, ${at}, ${remains}
    FROM ${name(row)} ${where ? sql`WHERE ${where}` : empty}`;

const createdOf = memoize((_: AuditedTable) => new Map<string, Sql>());

/**
 * The same piece each time.
 * @param row the WITH query that returned the records created, with all columns
 */
export function creationOf(kind: AuditedTable, row: string): Sql {
  const known = createdOf(kind);
  let entries = known.get(row);
  if (!entries) {
    const changes = { before: null, after: auditedRow(kind, row) };
    const at = 'updated_at' in kind.columns ? {} : { at: sql`${name(row)}.created_at` };
    entries = entriesOf(`${kind.one}.create`, row, changes, at);
    known.set(row, entries);
  }
  return entries;
}

/** @param row the WITH query that returned the records removed, with all columns and their neighbours */
export function removalOf(kind: AuditedTable, row: string): Sql {
  const changes = { before: auditedRow(kind, row), after: null };
  const remains = 'updated_at' in kind.columns ? { remains: remainsOf(kind, row) } : {};
  return entriesOf(`${kind.one}.delete`, row, changes, { at: clock, ...remains });
}

/** @param row the WITH query that returned records which are back, with all columns */
export const restorationOf = (kind: AuditedTable, row: string): Sql =>
  entriesOf(
    `${kind.one}.create`,
    row,
    { before: null, after: restoredRow(kind, row) },
    { at: clock },
  );

/**
 * SQL of whether an entry records that a record came back: that of no other creation says when the record was
 * created, which is when the entry was written.
 */
export const isRestoration = raw(
  "(action LIKE '%.create' AND after -> 'created_at' IS NOT NULL) IS TRUE",
);

/** Adds the entry of a record that another statement of the same transaction wrote, or that none did. */
export async function recordAudit(
  ctx: UnitOfWork,
  action: AuditAction,
  id: number,
  changes: Changes,
): Promise<void> {
  const written = sql`WITH written AS (SELECT ${id}::bigint AS id, ${clock} AS updated_at)`;
  await ctx.db.query(sql`${written} ${auditEntries(ctx, entriesOf(action, 'written', changes))}`);
}

const asJson = (values: Values | Sql | null): Sql => {
  if (values === null) return nothing;
  return values instanceof Sql ? values : sql`${auditText(values)}::json`;
};

/** Columns of free-form JSON. */
const free = new Set(
  Object.values(tables).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([column, kind]) => (kind === 'json' ? column : [])),
  ),
);

/** What an entry holds, as JSON: free-form JSON, which records hold as text, is JSON there. */
export function auditText(values: Values): string {
  const json: Record<string, unknown> = {};
  for (const field of Object.keys(values)) {
    const value = values[field];
    json[field] = typeof value === 'string' && free.has(field) ? new JsonText(value) : value;
  }
  return stringifyJson(json);
}
