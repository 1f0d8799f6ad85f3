/** Changing fields that no rule connects with others: read, compared and written in one statement. */
import type { Action } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { castOf, type Selection, type ShapeName } from '../../db/shape.ts';
import { join, name, raw, type Sql, sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';
import { shapes } from '../shapes.ts';
import { getRecord, requireRecord, type Stored, writeRecord } from './record.ts';

export interface Target {
  readonly shape: ShapeName;
  readonly action: Action;
  /** Or an expression that finds it, null where there is none. */
  readonly id: number | Sql;
}

/** Values by the columns that they are for; what is undefined was not sent. */
export type Columns = Readonly<Record<string, unknown>>;

const columnsIn = (sent: Columns) =>
  Object.entries(sent).filter(([, value]) => value !== undefined);

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
  if (columnsIn(sent).length === 0) return getRecord(ctx, target.shape, target.id, selection);
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
  const { table } = shapes[shape];
  const given = columnsIn(sent);
  const list = (each: (column: Sql) => Sql) => join(given.map(([column]) => each(name(column))));
  return writeRecord(
    ctx,
    shape,
    selection,
    sql`sent AS (
      SELECT ${join(given.map(([column, value]) => sql`${value}::${raw(castOf(shapes[shape], column))} AS ${name(column)}`))}
    ), current AS (
      SELECT t.*, t.xmin AS version FROM ${name(table)} AS t
      WHERE t.account_id = ${ctx.viewer.accountId} AND t.id = ${id}
    ), changes AS (
      SELECT json_object_agg(field, before) AS before, json_object_agg(field, after) AS after
      FROM current, sent, LATERAL (VALUES ${join(
        given.map(
          ([column]) =>
            sql`(${raw(`'${column}'`)}, to_json(current.${name(column)}), to_json(sent.${name(column)}))`,
        ),
      )}) AS compared (field, before, after)
      WHERE before::text IS DISTINCT FROM after::text
    ), changed AS (
      UPDATE ${name(table)} AS t
      SET ${list((column) => sql`${column} = sent.${column}`)}, updated_at = ${ctx.now.toISOString()}::timestamptz
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
