/** Moving what refers to records to another one, or to none, as the relations of schema.prisma say. */
import type { UnitOfWork } from '../../../context/context.ts';
import { adhoc } from '../../../db/database.ts';
import type { Association, RecordType, ShapeName } from '../../../db/sql/shape.ts';
import { join, name, noId, raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { tables } from '../../../generated/shapes.ts';
import { keysOf } from '../../../lib/object_keys.ts';
import { auditEntries, entriesOf, removalOf } from '../../audit/entry.ts';
import { shapes } from '../../shapes.ts';
import { clock } from './moment.ts';

/** A column by which records refer to those of another table. */
export interface Referring {
  readonly table: ShapeName;
  readonly column: string;
  /** Whether these are removed together with what they refer to. */
  readonly goesAlong: boolean;
}

/** Every column that refers to a table. */
export const referringTo = (to: ShapeName): readonly Referring[] =>
  keysOf(tables).flatMap((table) =>
    Object.values<Association>(tables[table].relations).flatMap((relation) =>
      relation.to === to && !relation.many
        ? Object.values(relation.on).map((column) => ({
            ...{ table, column },
            goesAlong: isCascading(to, table, column),
          }))
        : [],
    ),
  );

const isCascading = (to: ShapeName, table: ShapeName, column: string): boolean =>
  Object.values<Association>(tables[to].relations).some(
    (relation) => relation.to === table && column in relation.on && relation.cascades,
  );

/** Rows that one statement of `some` changes, so that none takes long. */
const batch = 1000;

const ways = {
  /** As many as one statement may change, without those that others have locked. */
  some: sql`LIMIT ${raw(String(batch))} FOR NO KEY UPDATE SKIP LOCKED`,
  /** All of them, waiting for those that others have locked. */
  all: raw('FOR NO KEY UPDATE'),
} as const;

/** What is moved, where to, and how. */
export interface Move {
  /** The columns that refer to what is left. */
  readonly which: readonly Referring[];
  readonly from: readonly number[];
  /** Null: to none. */
  readonly to: number | null;
  readonly way: keyof typeof ways;
}

/**
 * Has whatever refers to some records refer to another one, or to none, each change with an entry. A record goes
 * where it cannot: because it must refer to one, or because another one that may not be there twice does so already.
 * @returns how many there were
 * @throws {DatabaseError} unique, when another one came to do so meanwhile
 */
export async function moveReferences(ctx: UnitOfWork, move: Move): Promise<number> {
  let moved = 0;
  for (const referring of move.which) {
    const statement = statementOf(ctx, referring, move);
    const [row] = await ctx.db.query<{ count: number }>(statement, adhoc);
    moved += row?.count ?? 0;
  }
  return moved;
}

function statementOf(ctx: UnitOfWork, { table, column }: Referring, { from, to, way }: Move): Sql {
  const { accountId } = ctx.viewer;
  const { one, nullable, unique } = shapeOf(table);
  const own = name(column);
  const conditions = [
    ...(to === null && !nullable.includes(column) ? [raw('false')] : []),
    ...unique
      .filter((key) => key.includes(column))
      .map((key) => isFree(ctx, { table, column }, key, to)),
  ];
  const member = (value: string) => raw(`json_build_object('${column}', ${value})`);
  const changes = { before: member('written.former'), after: member(`written."${column}"`) };
  const entries = [entriesOf(`${one}.update`, 'written', changes)];
  const steps = [
    sql`found AS MATERIALIZED (
      SELECT id, ${own} AS former FROM ${name(table)}
      WHERE account_id = ${accountId} AND ${own} = ANY(${[...from]}::bigint[]) ORDER BY id ${ways[way]}
    )`,
  ];
  if (conditions.length > 0) {
    steps.push(
      sql`movable AS MATERIALIZED (
        SELECT found.id, former FROM found JOIN ${name(table)} AS r ON r.account_id = ${accountId} AND r.id = found.id
        WHERE ${join(conditions, ' AND ')}
      )`,
      sql`dropped AS (
        DELETE FROM ${name(table)} WHERE account_id = ${accountId}
          AND id = ANY(ARRAY(SELECT id FROM found EXCEPT SELECT id FROM movable)) RETURNING *
      )`,
    );
    entries.push(removalOf({ ...shapes[table], one }, 'dropped'));
  }
  const movable = raw(conditions.length > 0 ? 'movable' : 'found');
  return sql`WITH ${join(steps)}, written AS (
      UPDATE ${name(table)} AS moving SET ${own} = ${to}::bigint, updated_at = ${clock} FROM ${movable} AS leaving
      WHERE moving.account_id = ${accountId} AND moving.id = leaving.id
      RETURNING moving.id, moving.${own}, moving.updated_at, leaving.former
    ), audit AS (${auditEntries(ctx, ...entries)})
    SELECT count(*)::integer AS count FROM found`;
}

/** What of a table decides what becomes of a reference. */
interface Target {
  readonly one: RecordType;
  readonly nullable: readonly string[];
  readonly unique: readonly (readonly string[])[];
}

const shapeOf = (table: ShapeName): Target => tables[table];

/** Whether no other record has what one would have in a unique key. */
function isFree(
  { viewer: { accountId } }: UnitOfWork,
  { table, column }: Pick<Referring, 'table' | 'column'>,
  key: readonly string[],
  to: number | null,
): Sql {
  const same = key.map((part) =>
    part === column
      ? sql`other.${name(part)} = ${to ?? noId}::bigint`
      : sql`other.${name(part)} = r.${name(part)}`,
  );
  return sql`NOT EXISTS (SELECT FROM ${name(table)} AS other
    WHERE other.account_id = ${accountId} AND ${join(same, ' AND ')})`;
}
