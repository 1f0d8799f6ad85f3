import type { UnitOfWork } from '../../../context/context.ts';
import { name, raw, sql } from '../../../db/sql/sql.ts';
import { auditedValue } from '../../audit/columns.ts';
import { auditEntries, entriesOf } from '../../audit/entry.ts';
import type { Resource } from '../resource.ts';
import { clock } from './moment.ts';

const member = (column: string) =>
  raw(`json_build_object('created_at', ${auditedValue('timestamp', `written.${column}`)})`);

/**
 * Gives records the moment at which they were created elsewhere, as only an operator may who moves them here.
 * The trail keeps when they were written.
 * @param moments in ISO 8601, by id; what is so already is left as it is
 */
export async function backdate(
  ctx: UnitOfWork,
  { table, one }: Resource,
  moments: ReadonlyMap<number, string>,
): Promise<void> {
  const { accountId } = ctx.viewer;
  const changed = entriesOf(`${one}.update`, 'written', {
    before: member('written_at'),
    after: member('created_at'),
  });
  const ids = [...moments.keys()];
  await ctx.db.query(
    sql`WITH given AS (
        SELECT * FROM unnest(${ids}::bigint[], ${[...moments.values()]}::timestamptz[]) AS given (id, at)
      ), before AS (
        SELECT id, created_at AS written_at FROM ${name(table)}
        WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[]) FOR NO KEY UPDATE
      ), written AS (
        UPDATE ${name(table)} AS record SET created_at = given.at, updated_at = ${clock} FROM given, before
        WHERE record.account_id = ${accountId} AND record.id = given.id AND before.id = given.id
          AND record.created_at <> given.at
        RETURNING record.*, before.written_at
      ) ${auditEntries(ctx, changed)}`,
  );
}
