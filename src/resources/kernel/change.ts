/** Updating fields that no rule connects: one statement reads, compares and writes them. */
import type { Subject } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { castOf, type Selection } from '../../db/shape.ts';
import { name, raw, Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { memoize } from '../../memoize.ts';
import { toldAs } from '../audit/columns.ts';
import { auditEntries, type Entries, entriesOf } from '../audit/entry.ts';
import type { Fields } from './input.ts';
import { currentOf } from './overwrite.ts';
import { mergedInto, patchesIn } from './patch.ts';
import { getRecord, refuseMissing, requireRecord, writeRecord } from './record.ts';
import type { Resource } from './resource.ts';
import type { Stored } from './stored.ts';
import { andExpected, requireExpected } from './version.ts';

/** Values by column. */
type Columns = Readonly<Record<string, unknown>>;

/**
 * Changes the fields sent of a record.
 * @throws {Fault} NOT_FOUND; PRECONDITION_FAILED
 * @throws {DatabaseError} conflict, when another change came in between; a broken constraint
 */
export async function updateRecord(
  ctx: UnitOfWork,
  resource: Resource<Fields, Subject>,
  id: number,
  sent: Columns,
  selection: Selection,
): Promise<Stored> {
  if (Object.keys(sent).length === 0) {
    if (ctx.expected) await requireRecord(ctx, resource.table, id);
    return getRecord(ctx, resource.table, id, selection);
  }
  if (patchesIn(ctx, resource, sent).length > 0) {
    return mergeRecord(ctx, resource, id, sent, selection);
  }
  const written = await changeRecord(ctx, resource, withId(id), sent, selection);
  return written ?? refuseMissing(ctx, resource.table, id);
}

const readerOf = memoize((resource: Resource<Fields, Subject>) => currentOf(resource));

/** Changes a record of which something is merged into what it has, and which must not change meanwhile. */
async function mergeRecord(
  ctx: UnitOfWork,
  resource: Resource<Fields, Subject>,
  id: number,
  sent: Columns,
  selection: Selection,
): Promise<Stored> {
  const before = await readerOf(resource)(ctx, id);
  if (!before) throw notFound();
  requireExpected(ctx, before.version);
  const merged = mergedInto(ctx, resource, before, sent);
  const same = { ...ctx, expected: [before.version] };
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
 * @param sent at least one
 * @returns undefined where there is no such record in a version that is expected
 * @throws {DatabaseError} a broken constraint
 */
export function changeRecord(
  ctx: UnitOfWork,
  resource: Resource<Fields, Subject>,
  which: Sql,
  sent: Columns,
  selection: Selection,
): Promise<Stored | undefined> {
  const columns = Object.keys(sent);
  const { table, values, compared, assigned, entry } = partsOf(resource, columns);
  return writeRecord(
    ctx,
    resource.table,
    selection,
    sql`sent AS (
      ${new Sql(
        values,
        columns.map((column) => sent[column]),
      )}
    ), current AS (
      SELECT t.*, t.xmin FROM ${table} AS t
      WHERE t.account_id = ${ctx.viewer.accountId} AND ${which} ${andExpected(ctx, resource, 't')}
      FOR NO KEY UPDATE
    ), changes AS (
      SELECT json_object_agg(field, before) AS before, json_object_agg(field, after) AS after
      FROM current, sent, LATERAL (VALUES ${compared}) AS compared (field, before, after)
      WHERE before::text IS DISTINCT FROM after::text
    ), changed AS (
      UPDATE ${table} AS t
      SET ${assigned}, updated_at = moment()
      FROM current, sent, changes
      WHERE t.account_id = ${ctx.viewer.accountId} AND t.id = current.id AND changes.before IS NOT NULL
      RETURNING t.*, t.xmin
    ), audit AS (${auditEntries(ctx, entry)}), written AS (
      SELECT * FROM changed
      UNION ALL SELECT current.* FROM current, changes WHERE changes.before IS NULL
    )`,
  );
}

const changes = {
  before: raw('(SELECT before FROM changes)'),
  after: raw('(SELECT after FROM changes)'),
};

/** SQL that compares rows named `current` and `sent`, and assigns the latter's values to a table. */
export interface Comparing {
  readonly table: Sql;
  /** Rows of a field's name, and what it is before and after. */
  readonly compared: Sql;
  readonly assigned: Sql;
}

/** @param columns of the fields that may change, by their names in both rows */
export function comparing(
  resource: Resource<Fields, Subject>,
  columns: readonly string[],
): Comparing {
  const list = (each: (column: string) => string) => raw(columns.map(each).join(', '));
  const json = (row: string, column: string) =>
    `to_json(${toldAs(resource.columns[column], `${row}."${column}"`)})`;
  return {
    table: name(resource.table),
    compared: list((of) => `('${of}', ${json('current', of)}, ${json('sent', of)})`),
    assigned: list((of) => `"${of}" = sent."${of}"`),
  };
}

/** The parts of the statement that depend on its columns alone, composed once for each set of them. */
interface Parts extends Comparing {
  /** The text before, between and after the values. */
  readonly values: readonly string[];
  readonly entry: Entries;
}

/** Remembers what is made for each set of columns of a resource. */
export function byColumns<T>(
  make: (resource: Resource<Fields, Subject>, columns: readonly string[]) => T,
): typeof make {
  const known = new Map<string, T>();
  return (resource, columns) => {
    const key = `${resource.table} ${columns}`;
    const found = known.get(key);
    if (found) return found;
    const made = make(resource, columns);
    known.set(key, made);
    return made;
  };
}

const partsOf = byColumns((resource, columns): Parts => {
  const casts = columns.map((column) => `::${castOf(resource, column)} AS "${column}"`);
  return {
    ...comparing(resource, columns),
    values: ['SELECT ', ...casts.slice(0, -1).map((cast) => `${cast}, `), ...casts.slice(-1)],
    entry: entriesOf(`${resource.one}.update`, 'changed', changes),
  };
});
