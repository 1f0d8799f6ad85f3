/**
 * Versions of records, by which a write makes sure that a record is still as the caller has seen
 * it. Each record has its own in the field `version`; `expected` of a context names those that are
 * acceptable.
 */
import type { UnitOfWork } from '../../context.ts';
import type { Shape } from '../../db/shape.ts';
import { empty, name, raw, type Sql, sql } from '../../db/sql.ts';
import { hasChanged, notFound } from '../../errors.ts';
import { memoize } from '../../memoize.ts';

const versionsOf = memoize((_: Shape) => new Map<string, Sql>());

/**
 * A record's version, as text.
 * @param alias of its row; none where its columns need none
 */
export function versionOf(shape: Shape, alias = ''): Sql {
  const known = versionsOf(shape);
  let written = known.get(alias);
  if (!written) {
    const version = shape.computed?.version;
    if (version === undefined) throw new Error(`${shape.table} has no versions`);
    written = raw(`(${version.replaceAll('$row.', alias && `"${alias}".`)})::text`);
    known.set(alias, written);
  }
  return written;
}

/** A condition that follows others: that the record has a version that is expected, if any is. */
export const andExpected = ({ expected }: UnitOfWork, shape: Shape, alias?: string): Sql =>
  expected ? sql`AND ${versionOf(shape, alias)} = ANY(${expected}::text[])` : empty;

/**
 * @param version of a record that was read, and whose write depends on its being the same then
 * @throws {Fault} PRECONDITION_FAILED when another is expected
 */
export function requireExpected({ expected }: UnitOfWork, version: string): void {
  if (expected && !expected.includes(version)) throw hasChanged();
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
    { named: true },
  );
  if (!row) throw notFound();
  requireExpected(ctx, row.version);
}
