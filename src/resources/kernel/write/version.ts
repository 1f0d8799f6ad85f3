/**
 * Versions of records, by which a write makes sure that a record is still as the caller has seen
 * it. Each record has its own in the field `version`; `expected` of a context says which are
 * acceptable.
 */
import type { Precondition, UnitOfWork } from '../../../context/context.ts';
import type { Shape } from '../../../db/sql/shape.ts';
import { empty, name, raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { notFound, preconditionFailed } from '../../../errors/errors.ts';
import { memoize } from '../../../lib/memoize.ts';

const versionsOf = memoize((_: Shape) => new Map<string, Sql>());

/**
 * A record's version, as text.
 * @param alias of its row; none where its columns need none
 */
export function versionOf(shape: Shape, alias = ''): Sql {
  const known = versionsOf(shape);
  let written = known.get(alias);
  if (!written) {
    const version = shape.expressions?.version;
    if (version === undefined) throw new Error(`${shape.table} has no versions`);
    written = raw(`(${version.replaceAll('$row.', alias && `"${alias}".`)})::text`);
    known.set(alias, written);
  }
  return written;
}

/**
 * Of the row itself, which every write of it changes, also where the record's version stays. It is a column: in an UPDATE
 * or a DELETE Citus compares nothing that depends on a setting, such as the time zone in a row as text.
 */
export const rowVersionOf = (alias = ''): Sql => raw(`(${alias && `"${alias}".`}xmin)::text`);

/** Whether a record's version is that of its row. */
export const hasRowVersions = (shape: Shape): boolean =>
  versionOf(shape).text === rowVersionOf().text;

/** A condition that follows others: that the record has a version that is expected, if any is. */
export function andExpected({ expected }: UnitOfWork, shape: Shape, alias?: string): Sql {
  if (!expected) return empty;
  const version = versionOf(shape, alias);
  const { among, except } = expected;
  const isAmong = among ? sql`AND ${version} = ANY(${among}::text[])` : empty;
  return except ? sql`${isAmong} AND ${version} <> ALL(${except}::text[])` : isAmong;
}

/** A condition that a record meets which is to be removed: its id, and that it has a version that is expected, if any is. */
export function expectedOne(ctx: UnitOfWork, shape: Shape, id: number): Sql {
  const which = sql`id = ${id} ${andExpected(ctx, shape)}`;
  if (!ctx.expected || hasRowVersions(shape)) return which;
  return sql`id = ANY(ARRAY(SELECT id FROM ${name(shape.table)}
    WHERE account_id = ${ctx.viewer.accountId} AND ${which} FOR UPDATE))`;
}

const excepted = ['The record has a version that it must not have'];

function requireVersion({ among, except, refusals }: Precondition, version: string): void {
  if (among && !among.includes(version)) throw preconditionFailed(refusals);
  if (except?.includes(version)) throw preconditionFailed(excepted);
}

/**
 * @param version of a record that was read, and whose write depends on its being the same then
 * @throws {Fault} PRECONDITION_FAILED when it is not one that is expected
 */
export function requireExpected({ expected }: UnitOfWork, version: string): void {
  if (expected) requireVersion(expected, version);
}

/**
 * Locks a record of which a version is expected, so that it keeps it until the transaction ends.
 * @throws {Fault} NOT_FOUND; PRECONDITION_FAILED
 */
export async function lockExpected(ctx: UnitOfWork, shape: Shape, id: number): Promise<void> {
  if (!ctx.expected) return;
  const [row] = await ctx.db.query<{ version: string }>(
    sql`SELECT ${versionOf(shape)} AS version FROM ${name(shape.table)}
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} FOR UPDATE`,
  );
  if (!row) throw notFound();
  requireExpected(ctx, row.version);
}
