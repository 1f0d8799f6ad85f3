/** What contacts that were merged are found by, once merges are taken back. */
import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import type { Plan } from './plan.ts';

/**
 * A contact that is back, or gets its e-mail or phone back, is found by what it has: nothing leads from it to another
 * any more. What had led to one that is back leads to it again.
 */
export async function returnAliases(
  { db, viewer: { accountId } }: UnitOfWork,
  { revived, restored }: Plan,
): Promise<void> {
  const back = [...(revived.get('contact')?.keys() ?? [])];
  const named = [...(restored.get('contact') ?? [])].flatMap(([id, { after }]) =>
    after.has('email') || after.has('phone') ? id : [],
  );
  if (back.length + named.length === 0) return;
  await db.query(
    sql`DELETE FROM contact_aliases
      WHERE account_id = ${accountId} AND merged_id = ANY(${[...back, ...named]}::bigint[])`,
    adhoc,
  );
  if (back.length === 0) return;
  // To the one that it led to first, of those that are back.
  const led = sql`FROM unnest(path) WITH ORDINALITY AS led (to_id, at) WHERE to_id = ANY(${back}::bigint[])`;
  await db.query(
    // Citus ends with a fault of its own where a column becomes an item of an array, or some of them.
    sql`UPDATE contact_aliases SET contact_id = (SELECT to_id ${led} ORDER BY at LIMIT 1),
        path = trim_array(path, (cardinality(path) + 1 - (SELECT min(at) ${led}))::integer)
      WHERE account_id = ${accountId} AND path && ${back}::bigint[]`,
    adhoc,
  );
}
