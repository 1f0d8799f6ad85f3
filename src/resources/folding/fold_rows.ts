/**
 * Folding of rows that were there before their table had folded texts, or that another table of letters folded.
 * Until then searches fold them as they look at them.
 */
import type { Database } from '../../db/database.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { name, raw, sql } from '../../db/sql/sql.ts';
import { retrying } from '../../db/transactions/retrying.ts';
import { foldingVersion } from '../../search/fold.ts';
import type { Chore } from '../kernel/housekeeper.ts';
import { records } from '../records.ts';

/** Rows folded by one statement, so that nobody waits long for one of them. */
const batch = 500;

const version = raw(String(foldingVersion));

/** Folds the rows of all accounts that are not, or by another table. */
export const foldRows = (db: Database): Chore => ({
  name: 'folded texts',
  do: async () => {
    let rows = 0;
    for (const { table, foundBy } of Object.values(records)) {
      if (foundBy) rows += await foldTable(db, table);
    }
    return rows > 0 ? { rows } : undefined;
  },
});

async function foldTable(db: Database, shape: ShapeName): Promise<number> {
  const table = name(shape);
  const accounts = await db.query<{ account_id: number }>(
    sql`SELECT DISTINCT account_id FROM ${table} WHERE folded_by IS DISTINCT FROM ${version}`,
    { reads: true },
  );
  let folded = 0;
  for (const { account_id } of accounts) {
    // The triggers of the table fold what gets the version. Rows that somebody writes are left to the next time.
    const statement = sql`UPDATE ${table} SET folded_by = ${version} WHERE account_id = ${account_id} AND id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE account_id = ${account_id} AND folded_by IS DISTINCT FROM ${version}
        ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id`;
    for (let done = batch; done === batch; folded += done) {
      done = (await retrying(() => db.query(statement))).length;
    }
  }
  return folded;
}
