import type { UnitOfWork } from '../../../context/context.ts';
import { name, sql } from '../../../db/sql/sql.ts';
import type { Resource } from '../resource.ts';

/**
 * Has PostgreSQL count the rows of a table that it never counted. Until it does so by itself, a
 * minute or more after the first of them, it takes accounts for so small that reading all of one is
 * the best way to a few records.
 */
export async function countOnce(
  { db }: UnitOfWork,
  { table }: Pick<Resource, 'table'>,
): Promise<void> {
  const [never] = await db.query(
    sql`SELECT FROM pg_class WHERE oid = to_regclass(${table}) AND reltuples < 0`,
  );
  if (never) await db.query(sql`ANALYZE ${name(table)}`);
}
