import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import type { Chore } from '../kernel/housekeeper.ts';
import { keptHours } from './answers.ts';

/** Answers removed by one statement, so that none takes long. */
const batch = 1000;

/** Removes answers that have expired. */
export const keepAnswers = (db: Database): Chore => ({
  name: 'answers to tell again',
  do: async () => {
    const removed = await pruneAnswers(db);
    return removed > 0 ? { removed } : undefined;
  },
});

/**
 * Removes the expired answers of all accounts. The oldest of an account have the lowest ids, give or take
 * those written at the same moment.
 * @returns how many
 */
async function pruneAnswers(db: Database): Promise<number> {
  const accounts = await db.query<{ account_id: number }>(
    sql`SELECT DISTINCT account_id FROM idempotency_keys`,
    { reads: true },
  );
  let removed = 0;
  for (const { account_id } of accounts) {
    for (let gone = batch; gone === batch; removed += gone) {
      const rows = await db.query(
        sql`DELETE FROM idempotency_keys WHERE account_id = ${account_id} AND id = ANY(ARRAY(
              SELECT id FROM (
                SELECT id, created_at FROM idempotency_keys WHERE account_id = ${account_id}
                ORDER BY id LIMIT ${batch}) AS oldest
              WHERE created_at <= now() - make_interval(hours => ${keptHours}::integer))) RETURNING id`,
      );
      gone = rows.length;
    }
  }
  return removed;
}
