/** Updating fields that no rule connects: one statement reads, compares and writes them. */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { castOf, type Selection } from '../../../db/sql/shape.ts';
import { join, name, raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { notFound } from '../../../errors/errors.ts';
import { memoize } from '../../../lib/memoize.ts';
import type { Values } from '../../audit/changes.ts';
import { auditedValue } from '../../audit/columns.ts';
import { auditEntries, entriesOf } from '../../audit/entry.ts';
import { getRecord, refuseMissing, requireRecord, writeRecord } from '../read/record.ts';
import type { RecordResult } from '../read/record_result.ts';
import type { Resource } from '../resource.ts';
import { formOf } from './form.ts';
import { mergedInto, patchesIn } from './patch.ts';
import { currentOf } from './update_after_read.ts';
import { andExpected, requireExpected } from './version.ts';

/**
 * Changes the fields sent of a record.
 * @throws {Fault} NOT_FOUND; PRECONDITION_FAILED
 * @throws {DatabaseError} conflict, when another change came in between; a broken constraint
 */
export async function updateRecord(
  ctx: UnitOfWork,
  resource: Resource,
  id: number,
  values: Values,
  selection: Selection,
): Promise<RecordResult> {
  if (Object.keys(values).length === 0) {
    if (ctx.expected) await requireRecord(ctx, resource.table, id);
    return getRecord(ctx, resource.table, id, selection);
  }
  if (patchesIn(ctx, resource, values).length > 0) {
    return mergeRecord(ctx, resource, id, values, selection);
  }
  const written = await changeRecord(ctx, resource, withId(id), values, selection);
  return written ?? refuseMissing(ctx, resource.table, id);
}

const readerOf = memoize((resource: Resource) => currentOf(resource));

/** Changes a record of which something is merged into what it has, and which must not change meanwhile. */
async function mergeRecord(
  ctx: UnitOfWork,
  resource: Resource,
  id: number,
  values: Values,
  selection: Selection,
): Promise<RecordResult> {
  const before = await readerOf(resource)(ctx, id);
  if (!before) throw notFound();
  requireExpected(ctx, before.version);
  const merged = mergedInto(ctx, resource, before, values);
  const same = { ...ctx, expected: { among: [before.version] } };
  const written = await changeRecord(same, resource, withId(id), merged, selection);
  if (!written) throw conflict();
  return written;
}

const withId = (id: number): Sql => sql`id = ${id}`;

/**
 * Writes the values sent, with an audit entry of those that differ. When none does, nothing is
 * written and the record is returned as it is. Simultaneous changes of one record wait for each other: each
 * locks it as it reads it, and compares with what the one before left.
 * @param which a condition that at most one record meets; it must still when it is this change's turn
 * @param values at least one
 * @returns undefined where there is no such record in a version that is expected, or where something differs
 *   and was not written
 * @throws {DatabaseError} a broken constraint
 */
export function changeRecord(
  ctx: UnitOfWork,
  resource: Resource,
  which: Sql,
  values: Values,
  selection: Selection,
): Promise<RecordResult | undefined> {
  const form = changing(resource, Object.keys(values));
  const condition = sql`${which} ${andExpected(ctx, resource, 't')}`;
  return writeRecord(ctx, resource.table, selection, form(ctx, values, condition));
}

/** What a column's new value is called beside the old one. */
export const newValueName = (column: string): string => `"sent ${column}"`;

/** SQL that compares the row `t` with the values sent for it, and assigns them. */
export interface Comparing {
  readonly table: Sql;
  /** The values sent. */
  readonly newValues: Sql;
  /** What differs, as texts of JSON objects: `@before` and `@after`, null where nothing does. */
  readonly compared: Sql;
  /** Assignments from a row `current` that has the values sent. */
  readonly assigned: Sql;
  /** The audit entry of a row `changed` that has what differs. */
  readonly entry: Sql;
}

/** @param columns of the fields that may change */
export function comparing(resource: Resource, columns: readonly string[]): Comparing {
  const list = (each: (column: string) => string) => raw(columns.map(each).join(', '));
  const differing = (which: (column: string) => string) => {
    const members = columns.map((column) => {
      const value = auditedValue(resource.columns[column], which(column));
      return `CASE WHEN ${differs(resource, column)} THEN '"${column}":' || coalesce(to_json(${value})::text, 'null') END`;
    });
    // Most changes are of one field.
    const all =
      members.length === 1 ? members[0] : `NULLIF(concat_ws(',', ${members.join(', ')}), '')`;
    return `'{' || ${all} || '}'`;
  };
  const stored = (column: string) => `t."${column}"`;
  return {
    table: name(resource.table),
    newValues: list(newValueName),
    compared: raw(`${differing(stored)} AS "@before", ${differing(newValueName)} AS "@after"`),
    assigned: list((of) => `"${of}" = current.${newValueName(of)}`),
    entry: entriesOf(`${resource.one}.update`, 'changed', {
      before: raw('changed."@before"::json'),
      after: raw('changed."@after"::json'),
    }),
  };
}

/** Free-form JSON is compared as it is written: PostgreSQL has no other order for it. */
function differs({ columns }: Resource, column: string): string {
  const cast = columns[column] === 'json' ? '::text' : '';
  return `t."${column}"${cast} IS DISTINCT FROM ${newValueName(column)}${cast}`;
}

/** Columns that differ after every change, besides those sent. */
const moving: readonly string[] = ['updated_at', 'xmin'];

/** What is made for the columns that lead here, one after the other. */
interface ColumnNode<T> {
  readonly next: Map<string, ColumnNode<T>>;
  made?: T;
}

/** Remembers what is made for each list of columns of a resource, without building a key for it. */
export function byColumns<T>(
  make: (resource: Resource, columns: readonly string[]) => T,
): typeof make {
  const none = (): ColumnNode<T> => ({ next: new Map() });
  const firstOf = memoize(none);
  return (resource, columns) => {
    let at = firstOf(resource);
    for (const column of columns) {
      let next = at.next.get(column);
      if (!next) {
        next = none();
        at.next.set(column, next);
      }
      at = next;
    }
    at.made ??= make(resource, columns);
    return at.made;
  };
}

/** The form of a change of these columns, of a record `t` that meets a condition. */
const changing = byColumns((resource, columns) => {
  const { table, newValues: sentToo, compared, assigned, entry } = comparing(resource, columns);
  const before = raw(
    shownOf(resource)
      .map((column) => `t."${column}"`)
      .join(', '),
  );
  const written = writtenOf(resource, columns);
  return formOf(
    `${resource.table} update ${columns.join()}`,
    columns,
    (author, values, which) => sql`current AS (
      SELECT ${before}, ${sentToo}, ${compared}
      FROM ${table} AS t, (SELECT ${newValuesOf(resource, columns, values)}) AS sent
      WHERE t.account_id = ${author.viewer.accountId} AND ${which}
      FOR NO KEY UPDATE OF t
    ), changed AS (
      UPDATE ${table} AS t
      SET ${assigned}, updated_at = moment()
      FROM current
      WHERE t.account_id = ${author.viewer.accountId} AND t.id = current.id AND current."@before" IS NOT NULL
      RETURNING t.id, t.updated_at, t.xmin, current."@before", current."@after"
    ), audit AS (${auditEntries(author, entry)}), written AS (
      SELECT ${written} FROM current LEFT JOIN changed ON true
      WHERE (changed.id IS NULL) = (current."@before" IS NULL)
    )`,
  );
});

const newValuesOf = (resource: Resource, columns: readonly string[], values: Values): Sql =>
  join(
    columns.map(
      (column) =>
        sql`${values[column]}${raw(`::${castOf(resource, column)} AS ${newValueName(column)}`)}`,
    ),
    ', ',
  );

/**
 * The columns of the record as it is now. Those that differ after every change come from `changed`, if the write changed
 * anything; those that were sent are as they were sent; all others come from `current`. A value that did not change
 * equals the one sent, so `changed` need not return whole rows: that holds as long as triggers write only what no record
 * shows, as those do that fold texts.
 */
function writtenOf(resource: Resource, columns: readonly string[]): Sql {
  const columnSet = new Set(columns);
  const written = shownOf(resource).map((column) => {
    if (columnSet.has(column)) return `current.${newValueName(column)} AS "${column}"`;
    return moving.includes(column)
      ? `coalesce(changed.${column}, current.${column}) AS ${column}`
      : `current."${column}"`;
  });
  return raw(written.join(', '));
}

/** The columns from which a record is shown: whole rows, with what is folded for searches, would be copied in vain. */
function shownOf({ columns, computed = {} }: Resource): readonly string[] {
  const ordering = Object.values(computed).flatMap(({ order }) => order);
  return [...new Set([...Object.keys(columns), ...ordering, ...moving])];
}
