import type { Subject } from '../../../auth/policy.ts';
import type { UnitOfWork } from '../../../context.ts';
import { raw, type Sql, sql } from '../../../db/sql.ts';
import { auditEntries, type Entries, entriesOf } from '../../audit/entry.ts';
import { byColumns, type Comparing, comparing } from '../change.ts';
import type { Fields } from '../input.ts';
import type { Resource } from '../resource.ts';
import { type Row, type Rows, rowsOf } from './rows.ts';

/** A record and the fields that it gets. */
export interface Change {
  readonly id: number;
  readonly sent: Row;
}

/**
 * Changes the fields sent of records that the transaction has locked, none of them twice; as
 * `changeRecord` does of one.
 * @throws {DatabaseError} a broken constraint
 */
export async function changeMany(
  ctx: UnitOfWork,
  resource: Resource<Fields, Subject>,
  changes: readonly Change[],
): Promise<void> {
  const alike = new Map<string, Change[]>();
  for (const change of changes) {
    const columns = Object.keys(change.sent).join();
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
  resource: Resource<Fields, Subject>,
  columns: readonly string[],
  changes: readonly Change[],
): Promise<void> {
  const { table, compared, assigned, rows, values, entry } = partsOf(resource, columns);
  const ids = changes.map(({ id }) => id);
  const which = sql`account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])`;
  await ctx.db.query(
    sql`WITH sent AS MATERIALIZED (
        SELECT id, ${values} FROM ${rows.from(changes.map(({ id, sent }) => ({ ...sent, id })))}
      ), current AS (SELECT * FROM ${table} WHERE ${which}
      ), changes AS MATERIALIZED (
        SELECT current.id, json_object_agg(field, before) AS before, json_object_agg(field, after) AS after
        FROM current JOIN sent ON sent.id = current.id, LATERAL (VALUES ${compared}) AS compared (field, before, after)
        WHERE before::text IS DISTINCT FROM after::text
        GROUP BY current.id
      ), changed AS (
        UPDATE ${table} AS t SET ${assigned}, updated_at = moment()
        FROM sent JOIN changes ON changes.id = sent.id
        WHERE t.account_id = ${ctx.viewer.accountId} AND t.id = sent.id
        RETURNING t.*, changes.before AS "before", changes.after AS "after"
      ) ${auditEntries(ctx, entry)}`,
    { named: true },
  );
}

const told = { before: raw('changed."before"'), after: raw('changed."after"') };

interface Parts extends Comparing {
  readonly rows: Rows;
  readonly values: Sql;
  readonly entry: Entries;
}

const partsOf = byColumns((resource, columns): Parts => {
  const rows = rowsOf(resource, { id: 'bigint' }, columns);
  return {
    ...comparing(resource, columns),
    rows,
    values: raw(columns.map((column) => `${rows.value(column)} AS "${column}"`).join(', ')),
    entry: entriesOf(`${resource.one}.update`, 'changed', told),
  };
});
