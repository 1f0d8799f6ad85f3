/** The audit trail: every write leaves an entry, in the statement or transaction of the write. */
import type { Action, OperatorAction, RefusedAction } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { name, Sql, sql } from '../../db/sql.ts';
import { tables } from '../../generated/shapes.ts';
import { JsonText, stringifyJson } from '../../json.ts';
import { clock, isFresh } from '../kernel/moment.ts';
import type { Changes, Values } from './changes.ts';

/** Fields that never enter the trail, whatever writes them. */
const secret = new Set([
  'password',
  'password_confirmation',
  'password_hash',
  'jti',
  'access_token',
]);

/**
 * @param row the WITH query that returned the rows written, each with its `id`
 * @returns the INSERT of an entry for each of these rows
 */
export function auditEntry(
  ctx: UnitOfWork,
  action: Action | OperatorAction | RefusedAction,
  row: string,
  changes: Changes,
): Sql {
  const { accountId, userId, tokenId } = ctx.viewer;
  const recordType = action.slice(0, action.indexOf('.'));
  return sql`INSERT INTO audit_entries
      (account_id, user_id, token_id, action, record_type, record_id, before, after, request_id, created_at)
    SELECT ${accountId}::bigint, NULLIF(${userId}::bigint, 0), ${tokenId}::bigint, ${action}, ${recordType}, ${name(row)}.id,
      ${asJson(changes.before)}, ${asJson(changes.after)},
      ${ctx.requestId}, ${isFresh(row) ? sql`${name(row)}.updated_at` : clock}
    FROM ${name(row)}`;
}

/** Adds the entry of a record that another statement of the same transaction wrote, or that none did. */
export async function recordAudit(
  ctx: UnitOfWork,
  action: Action | OperatorAction | RefusedAction,
  id: number,
  changes: Changes,
): Promise<void> {
  await ctx.db.query(
    sql`WITH written AS (SELECT ${id}::bigint AS id, ${clock} AS updated_at) ${auditEntry(ctx, action, 'written', changes)}`,
  );
}

const asJson = (values: Values | Sql | null): Sql =>
  values instanceof Sql ? values : sql`${auditText(values)}::json`;

/** Columns of free-form JSON. */
const free = new Set(
  Object.values(tables).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([column, kind]) => (kind === 'json' ? column : [])),
  ),
);

/** Free-form JSON, which records hold as text, becomes JSON in the entry. */
function auditText(values: Values | null): string | null {
  if (values === null) return null;
  const shown: Record<string, unknown> = {};
  for (const field of Object.keys(values)) {
    const value = values[field];
    const isJson = typeof value === 'string' && free.has(field);
    if (!secret.has(field)) shown[field] = isJson ? new JsonText(value) : value;
  }
  return stringifyJson(shown);
}
