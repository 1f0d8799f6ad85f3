/** Inserts records that come back, with the ids and times that they had. */
import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { castOf } from '../../db/sql/shape.ts';
import { empty, join, name, raw, sql } from '../../db/sql/sql.ts';
import { casts } from '../../generated/shapes.ts';
import { isAudited } from '../audit/columns.ts';
import { auditEntries, auditText, restorationOf } from '../audit/entry.ts';
import { records } from '../records.ts';
import { shapes } from '../shapes.ts';
import { type Kind, kinds, tableOf } from './kinds.ts';
import type { Plan } from './plan.ts';
import type { Row } from './runs.ts';
import { asObject, columnsOf, valuesOf } from './values.ts';

/** Records that one statement inserts. */
const pageSize = 2_000;

/** Those that others refer to first. The ranks of deals are left to whoever places them. */
export async function insertRevived(ctx: UnitOfWork, { revived }: Plan): Promise<void> {
  for (const kind of kinds) {
    const rows = [...(revived.get(kind) ?? [])];
    for (let from = 0; from < rows.length; from += pageSize) {
      await insertSome(ctx, kind, rows.slice(from, from + pageSize));
    }
  }
}

async function insertSome(
  ctx: UnitOfWork,
  kind: Kind,
  rows: readonly (readonly [number, Row])[],
): Promise<void> {
  const table = tableOf[kind];
  const shape = shapes[table];
  const columns = Object.keys(columnsOf(kind)).filter(
    (column) => isAudited(table, column) || ofItself.includes(column),
  );
  const computed = Object.entries(shape.computed ?? {});
  const types = [
    ...columns.map((column) => `"${column}" ${castOf(shape, column)}`),
    ...computed.map(([column, { kind: type }]) => `"${column}" ${casts[type]}`),
  ];
  const defaults = defaultsOf(kind);
  const texts = rows.map(([id, row]) =>
    asObject([...[...defaults].filter(([field]) => !row.has(field)), ...row, ['id', String(id)]]),
  );
  const values = columns.map((column) => sql`sent.${name(column)}`);
  const beside = computed.map(([column]) => sql`, sent.${name(column)}`);
  // Until they are placed, later in this transaction, deals that come back to one stage share a rank.
  const [ranks, noRanks] = kind === 'deal' ? [', rank, rank_fraction', ', 0, 0'] : ['', ''];
  await ctx.db.query(
    sql`WITH sent AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${`[${texts.join(',')}]`}::json) AS sent (${raw(types.join(', '))})
      ), inserted AS (
        INSERT INTO ${name(table)} (account_id, ${join(columns.map(name))}${raw(ranks)})
        SELECT ${ctx.viewer.accountId}::bigint, ${join(values)}${raw(noRanks)} FROM sent ORDER BY id RETURNING *
      ), written AS (
        SELECT inserted.*${beside.length > 0 ? join(beside, '') : empty} FROM inserted JOIN sent ON sent.id = inserted.id
      ) ${auditEntries(ctx, restorationOf(records[table], 'written'))}`,
    adhoc,
  );
}

/** What fields have that the trail does not name, because they came since. */
function defaultsOf(kind: Kind): Row {
  const { blank } = records[tableOf[kind]];
  const known = Object.entries(blank).filter(([, value]) => value !== undefined);
  return valuesOf(kind, auditText(Object.fromEntries(known)));
}

/** Columns that entries do not repeat. */
const ofItself: readonly string[] = ['id', 'created_at', 'updated_at'];
