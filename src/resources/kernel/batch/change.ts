import type { UnitOfWork } from '../../../context/context.ts';
import { raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { auditEntries } from '../../audit/entry.ts';
import type { Resource } from '../resource.ts';
import { byColumns, type Comparing, comparing, newValueName } from '../write/update_in_place.ts';
import { type Row, type Rows, rowsOf } from './rows.ts';

/** A record and the fields that it gets. */
export interface Change {
  readonly id: number;
  readonly fields: Row;
}

/**
 * Changes the fields sent of records that the transaction has locked, none of them twice; as
 * `changeRecord` does of one.
 * @throws {DatabaseError} a broken constraint
 */
export async function changeMany(
  ctx: UnitOfWork,
  resource: Resource,
  changes: readonly Change[],
): Promise<void> {
  const alike = new Map<string, Change[]>();
  for (const change of changes) {
    const columns = Object.keys(change.fields).join();
    const group = alike.get(columns);
    if (group) group.push(change);
    else alike.set(columns, [change]);
  }
  for (const [columns, group] of alike) {
    if (columns !== '') await changeAlike(ctx, resource, columns.split(','), group);
  }
}

async function changeAlike(
  ctx: UnitOfWork,
  resource: Resource,
  columns: readonly string[],
  changes: readonly Change[],
): Promise<void> {
  const {
    table,
    newValues: sentToo,
    compared,
    assigned,
    rows,
    values,
    entry,
  } = partsOf(resource, columns);
  const { accountId } = ctx.viewer;
  const ids = changes.map(({ id }) => id);
  await ctx.db.query(
    sql`WITH sent AS MATERIALIZED (
        SELECT id, ${values} FROM ${rows.from(changes.map(({ id, fields }) => ({ ...fields, id })))}
      ), current AS MATERIALIZED (
        SELECT t.id, ${sentToo}, ${compared} FROM ${table} AS t JOIN sent ON sent.id = t.id
        WHERE t.account_id = ${accountId} AND t.id = ANY(${ids}::bigint[])
      ), changed AS (
        UPDATE ${table} AS t SET ${assigned}, updated_at = moment()
        FROM current
        WHERE t.account_id = ${accountId} AND t.id = current.id AND current."@before" IS NOT NULL
        RETURNING t.*, current."@before", current."@after"
      ) ${auditEntries(ctx, entry)}`,
  );
}

interface Parts extends Comparing {
  readonly rows: Rows;
  readonly values: Sql;
}

const partsOf = byColumns((resource, columns): Parts => {
  const rows = rowsOf(resource, { id: 'bigint' }, columns);
  return {
    ...comparing(resource, columns),
    rows,
    values: raw(
      columns.map((column) => `${rows.value(column)} AS ${newValueName(column)}`).join(', '),
    ),
  };
});
