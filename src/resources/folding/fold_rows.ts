/**
 * Folding of rows that were there before their table had folded texts, or that another table of letters folded, and
 * keys of contacts that were there before these. Until then searches fold them as they look at them.
 */
import type { Database } from '../../db/database.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { foldingVersion } from '../../search/fold.ts';
import type { Chore } from '../kernel/housekeeper.ts';
import { records } from '../records.ts';

/** Rows written by one statement, so that nobody waits long for one of them. */
const batch = 500;

const version = raw(String(foldingVersion));

/** Folds the rows of all accounts that are not, or by another table. */
export const foldRows = (db: Database): Chore => ({
  name: 'folded texts',
  do: async () => {
    let rows = 0;
    for (const { table, foundBy } of Object.values(records)) {
      if (!foundBy) continue;
      rows += await refresh(db, table, {
        stale: sql`folded_by IS DISTINCT FROM ${version}`,
        change: sql`folded_by = ${version}`,
      });
    }
    return rows > 0 ? { rows } : undefined;
  },
});

/** Gives keys to the contacts of all accounts that have none (src/resources/contacts/duplicate_keys.ts). */
export const keyContacts = (db: Database): Chore => ({
  name: 'keys of contacts',
  do: async () => {
    const unkeyed = {
      stale: sql`colleague_key IS NULL`,
      change: sql`colleague_key = NULL`,
    };
    const rows = await refresh(db, 'contacts', unkeyed);
    return rows > 0 ? { rows } : undefined;
  },
});

/** What tells the rows that a trigger is to write anew, and the change that has it do so. */
interface Refreshment {
  readonly stale: Sql;
  readonly change: Sql;
}

async function refresh(
  db: Database,
  shape: ShapeName,
  { stale, change }: Refreshment,
): Promise<number> {
  const table = name(shape);
  const accounts = await db.query<{ account_id: number }>(
    sql`SELECT DISTINCT account_id FROM ${table} WHERE ${stale}`,
    { reads: true },
  );
  let refreshed = 0;
  for (const { account_id } of accounts) {
    // Rows that somebody writes are left to the next time.
    const statement = sql`UPDATE ${table} SET ${change} WHERE account_id = ${account_id} AND id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE account_id = ${account_id} AND ${stale}
        ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id`;
    for (let count = batch; count === batch; refreshed += count) {
      count = (await retryConflicts(() => db.query(statement))).length;
    }
  }
  return refreshed;
}
