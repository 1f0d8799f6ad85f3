import type { UnitOfWork } from '../../../context/context.ts';
import { raw, sql } from '../../../db/sql/sql.ts';
import { auditEntries, creationOf } from '../../audit/entry.ts';
import type { Fields } from '../fields/input.ts';
import type { Resource, Values } from '../resource.ts';
import { rowsOf } from './rows.ts';

/**
 * Inserts records whose values are all known beforehand, each with its audit entry.
 * @param others columns, not fields, whose values come with the records as well
 * @returns a function that takes records, and returns their ids in the same order
 */
export function insertingMany<F extends Fields, O extends string = never>(
  resource: Resource<F>,
  others: readonly O[] = [],
) {
  const { table } = resource;
  const written = [...resource.written, ...others];
  const rows = rowsOf(resource, { n: 'bigint' }, written);
  const columns = ['account_id', ...written, 'created_at', 'updated_at'];
  const into = raw(`"${table}" (${columns.map((column) => `"${column}"`).join(', ')})`);
  const values = raw(`${written.map(rows.value).join(', ')}, clock, clock`);
  const own = creationOf(resource, 'written');
  return async (
    ctx: UnitOfWork,
    records: readonly (Values<F> & Readonly<Record<O, unknown>>)[],
  ): Promise<readonly number[]> => {
    if (records.length === 0) return [];
    const numbered = records.map((record, n) => ({ ...record, n }));
    // Sorted before they are numbered, so their ids have the same order.
    const inserted = await ctx.db.query<{ id: number }>(
      sql`WITH written AS (
          INSERT INTO ${into} SELECT ${ctx.viewer.accountId}::bigint, ${values}
          FROM (SELECT *, moment() AS clock FROM ${rows.from(numbered)} OFFSET 0) AS sent ORDER BY n RETURNING *
        ), audit AS (${auditEntries(ctx, own)}) SELECT id FROM written ORDER BY id`,
    );
    return inserted.map(({ id }) => id);
  };
}
