/** What the audit trail holds of a record: every stored column except those named here. */
import { jsonObject, jsonOf, type Member } from '../../db/sql/json_text.ts';
import type { ColumnKind, RecordType, Shape } from '../../db/sql/shape.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { timestampJson } from '../../db/sql/timestamp.ts';
import { account } from '../../generated/shapes.ts';
import { memoize } from '../../lib/memoize.ts';

/** A kind of record, as far as entries need to know it. */
export interface AuditedTable {
  readonly table: string;
  /** What entries call one. */
  readonly one: RecordType | 'account';
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Those of them that may be null. */
  readonly nullable: readonly string[];
  /** Columns that are computed from other rows (`computed`); where entries are written the rows hold them. */
  readonly computed?: Readonly<Record<string, { readonly kind: ColumnKind }>>;
  /** See {@link Shape.neighbours}; where entries of removals are written the rows hold them as a column. */
  readonly neighbours?: string;
}

export const accounts = { table: 'accounts', ...account } as const satisfies AuditedTable;

/** Whom a record belongs to, and when it was written: an entry has these as its own. */
const ofEveryEntry = ['id', 'account_id', 'created_at', 'updated_at'];

/**
 * Columns that are in no entry: secrets, the order of deals, which entries give as positions instead, and
 * what changes as a record is used.
 */
const untold: Readonly<Record<string, readonly string[]>> = {
  users: ['password_hash'],
  api_tokens: ['jti', 'kid', 'last_used_at'],
  sessions: ['token_hash', 'last_used_at', 'expires_at'],
  sign_in_codes: ['code_hash'],
  stages: ['deals_count', 'ranks_ahead', 'piece_ranks', 'piece_places', 'piece_steps'],
  deals: ['rank', 'rank_fraction'],
  events: ['due_at'],
  webhooks: [
    ...['secret', 'previous_secret', 'previous_secret_until'],
    ...['failing_since', 'disabled_at', 'disabled_reason'],
    ...['place_of', 'place_order', 'place_entry'],
  ],
};

/** Whether a table's rows have entries. What webhooks are sent is in the trail already, and kept for days. */
export const isRecorded = (table: string): boolean => table !== 'webhook_deliveries';

/** Whether a stored column is in the entries. */
export const isAudited = (table: string, column: string): boolean =>
  !ofEveryEntry.includes(column) && !untold[table]?.includes(column);

/** SQL of a value as entries hold it: timestamps as in answers. */
export const auditedValue = (kind: ColumnKind | undefined, value: string): string =>
  kind === 'timestamp'
    ? `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : value;

/** The text depends on the kind of record and the name alone. */
const composedOf = memoize((_: AuditedTable) => new Map<string, Sql>());

/**
 * All that entries hold of a record, as an expression of type json.
 * @param row of a table or a WITH query, with all columns
 */
export function auditedRow(recorded: AuditedTable, row: string): Sql {
  const known = composedOf(recorded);
  const composed = known.get(row) ?? compose(recorded, row);
  known.set(row, composed);
  return composed;
}

function compose(recorded: AuditedTable, row: string): Sql {
  return sql`${jsonObject(membersOf(recorded, row))}::json`;
}

function membersOf(
  { table, columns, nullable, computed = {} }: AuditedTable,
  row: string,
): Member[] {
  const stored = Object.entries(columns).filter(([column]) => isAudited(table, column));
  const others = Object.entries(computed).map(([column, { kind }]) => [column, kind] as const);
  return [...stored, ...others].map(([column, kind]): Member => {
    const value = raw(`"${row}".${column}`);
    const isNullable = nullable.includes(column) || column in computed;
    const json = kind === 'timestamp' ? timestampJson(value) : jsonOf(value, kind, isNullable);
    return { as: column, json };
  });
}

const moments = (row: string): Member[] =>
  ['created_at', 'updated_at'].map((column) => ({
    as: column,
    json: timestampJson(raw(`"${row}".${column}`)),
  }));

/** The same of a record that came back, which was not created by the entry. */
export const restoredRow = (recorded: AuditedTable, row: string): Sql =>
  sql`${jsonObject([...membersOf(recorded, row), ...moments(row)])}::json`;

/** What bringing a removed record back takes besides {@link auditedRow}, as an expression of type json. */
export function remainsOf({ neighbours }: AuditedTable, row: string): Sql {
  const beside: Member[] = neighbours
    ? [{ as: 'neighbour_id', json: raw(`"${row}".neighbours`) }]
    : [];
  return sql`${jsonObject([...moments(row), ...beside])}::json`;
}
