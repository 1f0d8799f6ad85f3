import type { UnitOfWork } from '../../../context/context.ts';
import { sql } from '../../../db/sql/sql.ts';
import type { Search } from '../../../search/search.ts';
import { matchingStatement } from '../../../search/statement.ts';
import { shapes } from '../../shapes.ts';

/** How many records match a search as PostgreSQL's planner estimates it, which reads none of them. */
export async function estimateCount(
  { db, viewer: { accountId } }: UnitOfWork,
  search: Search,
): Promise<number> {
  const statement = matchingStatement(search, shapes, accountId);
  const [row] = await db.query<{ readonly 'QUERY PLAN': string }>(
    sql`EXPLAIN (FORMAT JSON) ${statement}`,
    { prepare: 'never', reads: true },
  );
  const [{ Plan: plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[{"Plan":{"Plan Rows":0}}]');
  return Number(plan['Plan Rows']);
}
