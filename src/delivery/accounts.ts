/** Which accounts have webhooks, and which webhooks have something due. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import type { Clock } from './claims.ts';

export interface WebhookKey {
  readonly account_id: number;
  readonly id: number;
}

/** The webhooks of all accounts that are switched on, by account. */
export async function enabledWebhooks(
  db: Queryable,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await db.query<WebhookKey>(sql`SELECT account_id, id FROM webhooks WHERE enabled`, {
    reads: true,
  });
  const byAccount = new Map<number, number[]>();
  for (const { account_id, id } of rows) {
    byAccount.set(account_id, [...(byAccount.get(account_id) ?? []), id]);
  }
  return byAccount;
}

/** Webhooks of these accounts with deliveries that are due, and that nobody has taken on. */
export const dueWebhooks = (
  db: Queryable,
  accounts: readonly number[],
  clock: Clock,
): Promise<readonly WebhookKey[]> =>
  db.query<WebhookKey>(
    sql`SELECT account_id, id FROM webhooks AS w
        WHERE w.account_id = ANY(${accounts}::bigint[]) AND w.enabled AND EXISTS (
          SELECT FROM webhook_deliveries AS d
          WHERE d.account_id = ANY(${accounts}::bigint[]) AND d.account_id = w.account_id AND d.webhook_id = w.id
            AND d.status = 'pending' AND d.next_attempt_at <= ${clock})`,
    { reads: true },
  );

/** Deliveries removed by one statement, so that none takes long. */
const batch = 1000;

/** Days for which deliveries are kept. */
const keptDays = 30;

/**
 * Removes the deliveries of all accounts that are too old to be of use, whatever became of them.
 * @param stopping ends it early
 */
export async function prune(db: Queryable, clock: Clock, stopping: AbortSignal): Promise<void> {
  const accounts = await db.query<{ account_id: number }>(
    sql`SELECT DISTINCT account_id FROM webhooks`,
    { reads: true },
  );
  for (const { account_id } of accounts) {
    for (let removed = batch; removed === batch && !stopping.aborted; ) {
      const gone = await db.query(
        sql`DELETE FROM webhook_deliveries WHERE account_id = ${account_id} AND id = ANY(ARRAY(
              SELECT id FROM webhook_deliveries WHERE account_id = ${account_id}
                AND created_at < ${clock} - make_interval(days => ${keptDays}::integer) LIMIT ${batch})) RETURNING id`,
      );
      removed = gone.length;
    }
  }
}
