/** Moving what refers to records to another one, as the relations of schema.prisma say. */
import type { UnitOfWork } from '../../../context/context.ts';
import { adhoc } from '../../../db/database.ts';
import type { Association, ShapeName } from '../../../db/sql/shape.ts';
import { name, raw, sql } from '../../../db/sql/sql.ts';
import { tables } from '../../../generated/shapes.ts';
import { keysOf } from '../../../lib/object_keys.ts';
import { auditEntries, entriesOf } from '../../audit/entry.ts';
import { clock } from './moment.ts';

/** A column by which records refer to those of another table. */
export interface Referring {
  readonly table: ShapeName;
  readonly column: string;
}

/** Every column that refers to a table. */
export const referringTo = (to: ShapeName): readonly Referring[] =>
  keysOf(tables).flatMap((table) =>
    Object.values<Association>(tables[table].relations).flatMap((relation) =>
      relation.to === to && !relation.many
        ? Object.values(relation.on).map((column) => ({ table, column }))
        : [],
    ),
  );

/** Has whatever refers to some records refer to another one, each change with an entry; all of these are locked. */
export async function moveReferences(
  ctx: UnitOfWork,
  of: ShapeName,
  from: readonly number[],
  to: number,
): Promise<void> {
  const { accountId } = ctx.viewer;
  for (const { table, column } of referringTo(of)) {
    const told = (value: string) => raw(`json_build_object('${column}', ${value})`);
    const changes = { before: told('written.former'), after: told(`written."${column}"`) };
    await ctx.db.query(
      sql`WITH found AS (
          SELECT id, ${name(column)} AS former FROM ${name(table)}
          WHERE account_id = ${accountId} AND ${name(column)} = ANY(${[...from]}::bigint[]) ORDER BY id FOR NO KEY UPDATE
        ), written AS (
          UPDATE ${name(table)} AS moving SET ${name(column)} = ${to}, updated_at = ${clock} FROM found
          WHERE moving.account_id = ${accountId} AND moving.id = found.id
          RETURNING moving.id, moving.${name(column)}, moving.updated_at, found.former
        ) ${auditEntries(ctx, entriesOf(`${tables[table].one}.update`, 'written', changes))}`,
      adhoc,
    );
  }
}
