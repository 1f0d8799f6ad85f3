/** Changing fields that no rule connects with others: read, compared and written in one statement. */
import type { Action } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { castOf, type Selection, type Shape, type ShapeName } from '../../db/shape.ts';
import { name, raw, Sql, sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';
import { shapes } from '../shapes.ts';
import { getRecord, requireRecord, type Stored, writeRecord } from './record.ts';

export interface Target {
  readonly shape: ShapeName;
  readonly action: Action;
  /** Or an expression that finds it, null where there is none. */
  readonly id: number | Sql;
}

/** Values by the columns that they are for. */
export type Columns = Readonly<Record<string, unknown>>;

/**
 * Changes the fields sent of a record.
 * @throws {Fault} NOT_FOUND
 * @throws {DatabaseError} conflict, when another change came in between; a broken constraint
 */
export async function updateRecord(
  ctx: UnitOfWork,
  target: Target & { readonly id: number },
  sent: Columns,
  selection: Selection,
): Promise<Stored> {
  if (Object.keys(sent).length === 0) return getRecord(ctx, target.shape, target.id, selection);
  const written = await changeRecord(ctx, target, sent, selection);
  if (written) return written;
  await requireRecord(ctx, target.shape, target.id);
  throw conflict();
}

/**
 * Writes the values sent over a record, with an audit entry of those that differ; where none does
 * nothing is written, and the record is returned all the same.
 * @param sent at least one
 * @returns undefined where there is no such record, or another change came in between
 * @throws {DatabaseError} a broken constraint
 */
export function changeRecord(
  ctx: UnitOfWork,
  { shape, action, id }: Target,
  sent: Columns,
  selection: Selection,
): Promise<Stored | undefined> {
  const columns = Object.keys(sent);
  const { table, values, compared, assigned } = partsOf(shapes[shape], columns);
  return writeRecord(
    ctx,
    shape,
    selection,
    sql`sent AS (
      ${new Sql(
        values,
        columns.map((column) => sent[column]),
      )}
    ), current AS (
      SELECT t.*, t.xmin AS version FROM ${table} AS t
      WHERE t.account_id = ${ctx.viewer.accountId} AND t.id = ${id}
    ), changes AS (
      SELECT json_object_agg(field, before) AS before, json_object_agg(field, after) AS after
      FROM current, sent, LATERAL (VALUES ${compared}) AS compared (field, before, after)
      WHERE before::text IS DISTINCT FROM after::text
    ), changed AS (
      UPDATE ${table} AS t
      SET ${assigned}, updated_at = ${ctx.now.toISOString()}::timestamptz
      FROM current, sent, changes
      WHERE t.account_id = ${ctx.viewer.accountId} AND t.id = current.id AND t.xmin = current.version
        AND changes.before IS NOT NULL
      RETURNING t.*, t.xmin AS version
    ), audit AS (${auditEntry(ctx, action, 'changed', {
      before: sql`(SELECT before FROM changes)`,
      after: sql`(SELECT after FROM changes)`,
    })}), written AS (
      SELECT * FROM changed
      UNION ALL SELECT current.* FROM current, changes WHERE changes.before IS NULL
    )`,
  );
}

/** What of the statement depends on the columns alone: composed once for each set of them. */
interface Parts {
  readonly table: Sql;
  /** What stands before, between and after the values. */
  readonly values: readonly string[];
  readonly compared: Sql;
  readonly assigned: Sql;
}

const known = new Map<string, Parts>();

function partsOf(shape: Shape, columns: readonly string[]): Parts {
  const key = `${shape.table} ${columns}`;
  const found = known.get(key);
  if (found) return found;
  const list = (each: (column: string) => string) => columns.map(each).join(', ');
  const casts = columns.map((column) => `::${castOf(shape, column)} AS "${column}"`);
  const made = {
    table: name(shape.table),
    values: ['SELECT ', ...casts.slice(0, -1).map((cast) => `${cast}, `), ...casts.slice(-1)],
    compared: raw(list((of) => `('${of}', to_json(current."${of}"), to_json(sent."${of}"))`)),
    assigned: raw(list((of) => `"${of}" = sent."${of}"`)),
  };
  known.set(key, made);
  return made;
}
