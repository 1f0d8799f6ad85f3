/** A copy of an account's tables that is changed by audit entries, and nothing else. */
import { tables as stored } from '../../src/generated/shapes.ts';
import { isAudited } from '../../src/resources/audit/columns.ts';
import type { TestDatabase } from './database.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows by table and id: the columns that entries hold, and when they were created and changed. */
export type Replica = Map<string, Map<number, Row>>;

/** An entry of the audit trail, or of the feed. */
export interface Change {
  /** `contact.update`, or `update` alone. */
  readonly action: string;
  readonly record_type: string;
  readonly record_id: number;
  readonly before: Row | null;
  readonly after: Row | null;
  /** ISO 8601. */
  readonly at: string;
}

const tableOf = new Map<string, string>([
  ['account', 'accounts'],
  ...Object.entries(stored).map(([table, { one }]) => [one, table] as const),
]);

/** Tables whose rows have no moment of their last change. */
const undated: ReadonlySet<string> = new Set(['api_tokens', 'sessions', 'sign_in_codes']);

/** The trail has no entries about itself, nor about what of it is sent. */
const untold = ['audit_entries', 'webhook_deliveries'];

const copied = [...tableOf.values()].filter((table) => !untold.includes(table));

/** A deal's position is not stored: it follows from the other deals of its stage. */
const position = `json_build_object('position',
  row_number() OVER (PARTITION BY t.stage_id ORDER BY t.rank, t.rank_fraction))`;

/** The tables as they are. */
export async function readReplica(database: TestDatabase, accountId: number): Promise<Replica> {
  const lists = copied.map((table) => {
    const told = table === 'deals' ? position : 'NULL::json';
    const owner = table === 'accounts' ? 'id' : 'account_id';
    return `'${table}', (SELECT coalesce(json_agg(json_build_array(row, told)), '[]')
      FROM (SELECT row_to_json(t) AS row, ${told} AS told FROM ${table} AS t WHERE ${owner} = $1) AS each)`;
  });
  const [found] = await database.query<{ all: Record<string, [Row, Row | null][]> }>(
    `SELECT json_build_object(${lists}) AS all`,
    [accountId],
  );
  const all = Object.entries(found?.all ?? {});
  return new Map(all.map(([table, rows]) => [table, new Map(rows.map((row) => read(table, row)))]));
}

function read(table: string, [row, told]: readonly [Row, Row | null]): [number, Row] {
  const dates = undated.has(table) ? ['created_at'] : ['created_at', 'updated_at'];
  const columns = Object.keys(row).filter(
    (of) => dates.includes(of) || (isShown(table, of) && isAudited(table, of)),
  );
  const values = columns.map((of) => [of, asTold(table, of, row[of])]);
  return [Number(row.id), { ...Object.fromEntries(values), ...told }];
}

/** The kinds of a table's columns, those that are the service's own apart; none of accounts. */
const kindsIn = (table: string): Readonly<Record<string, string>> =>
  Object.entries(stored).find(([name]) => name === table)?.[1].columns ?? {};

const isShown = (table: string, column: string): boolean =>
  table === 'accounts' || column in kindsIn(table);

/** Moments as answers have them. */
function asTold(table: string, column: string, value: unknown): unknown {
  const kinds = kindsIn(table);
  const isMoment = (kinds[column] ?? column) === 'timestamp' || /^(cre|upd)ated_at$/.test(column);
  return isMoment && typeof value === 'string' ? new Date(value).toISOString() : value;
}

/** The account's entries, each after those that it builds upon. */
export const readEntries = (
  database: TestDatabase,
  accountId: number,
): Promise<(Change & { readonly id: number })[]> =>
  database.query(
    `SELECT id, action, record_type, record_id, before, after,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
     FROM audit_entries WHERE account_id = $1 ORDER BY change_order, id`,
    [accountId],
  );

/**
 * Does to the copy what an entry says was done.
 * @throws {Error} when what it says was there before is not what the copy has
 */
export function apply(replica: Replica, change: Change): void {
  const rows = rowsOf(replica, change.record_type);
  const { record_id: id, after, at } = change;
  const row = rows.get(id);
  switch (change.action.replace(/^.*\./, '')) {
    case 'create':
      if (row) throw new Error(`${shown(change)} is there already`);
      // One that came back says when it was created and last changed.
      rows.set(id, { created_at: at, ...dated(change), ...after });
      return;
    case 'update':
    case 'revoke':
      compare(change, row);
      rows.set(id, { ...row, ...columnsOf(after ?? {}), ...dated(change) });
      return;
    case 'delete':
      compare(change, row);
      rows.delete(id);
      return;
    case 'reorder':
      reorder(replica, change);
      return;
    default:
    // Somebody was refused, or a person's data was erased: no record was changed by the entry.
  }
}

function rowsOf(replica: Replica, recordType: string): Map<number, Row> {
  const table = tableOf.get(recordType) ?? '';
  if (untold.includes(table)) return new Map();
  const rows = replica.get(table);
  if (!rows) throw new Error(`there is no table of ${recordType}`);
  return rows;
}

const dated = ({ record_type, at }: Change): Row =>
  undated.has(tableOf.get(record_type) ?? '') ? {} : { updated_at: at };

/** Entries say that a password was changed, but that is not a column. */
const columnsOf = ({ password_changed: _, ...columns }: Row): Row => columns;

function compare(change: Change, row: Row | undefined): void {
  if (!row) throw new Error(`${shown(change)} is not there`);
  for (const [column, value] of Object.entries(change.before ?? {})) {
    if (JSON.stringify(row[column]) === JSON.stringify(value)) continue;
    throw new Error(`${shown(change)} had ${column} ${JSON.stringify(row[column])}`);
  }
}

/** The table whose order an entry describes, and the column by which its rows belong there. */
const ordered: Readonly<Record<string, readonly [table: string, key: string]>> = {
  stage: ['deals', 'stage_id'],
  pipeline: ['stages', 'pipeline_id'],
};

type Ranges = readonly (readonly [first: number, last: number])[];

function reorder(replica: Replica, change: Change): void {
  const [table = '', key = ''] = ordered[change.record_type] ?? [];
  const rows = replica.get(table);
  const [from, to] = [change.before?.positions as Ranges, change.after?.positions as Ranges];
  const moved = new Map<number, Row>();
  for (const [id, row] of rows ?? []) {
    if (row[key] !== change.record_id) continue;
    const at = Number(row.position);
    const range = from.findIndex(([first, last]) => first <= at && at <= last);
    const [start] = from[range] ?? [];
    const [end] = to[range] ?? [];
    if (start === undefined || end === undefined) continue;
    moved.set(id, { ...row, position: at - start + end });
  }
  const told = from.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (moved.size !== told) throw new Error(`${shown(change)} tells not the ${moved.size} there`);
  for (const [id, row] of moved) rows?.set(id, row);
}

const shown = (change: Change): string => JSON.stringify(change);

/** The copy as a plain object, for a comparison. */
export const contentsOf = (replica: Replica): Record<string, Record<string, Row>> =>
  Object.fromEntries([...replica].map(([table, rows]) => [table, Object.fromEntries(rows)]));
