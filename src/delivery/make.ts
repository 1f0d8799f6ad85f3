/** From the feed to deliveries: the changes that a webhook is to get become rows before anything is sent. */
import type { Queryable } from '../db/database.ts';
import { raw, sql } from '../db/sql/sql.ts';
import { retryConflicts } from '../db/transactions/retry.ts';
import { readHorizon } from '../resources/changes/horizon.ts';
import { eventsOf } from '../resources/webhooks/events.ts';

/** At most this many changes are looked at for each webhook in one statement. */
const max = 1000;

export interface DeliveryRound {
  readonly webhook_id: number;
  /** Whether the webhook gets some of them. */
  readonly is_told: boolean;
  /** Whether there may be more changes. */
  readonly is_full: boolean;
}

/**
 * Makes the deliveries of an account's next changes, and moves its webhooks' places in the feed in the same
 * statement: nothing is lost or made twice, wherever it is interrupted. Webhooks that another transaction has
 * locked are skipped.
 * @returns a row for each webhook that was not skipped
 */
export const makeDeliveries = (
  db: Queryable,
  accountId: number,
): Promise<readonly DeliveryRound[]> =>
  retryConflicts(async () => {
    const { order, incarnation } = await readHorizon(db);
    return db.query<DeliveryRound>(
      sql`WITH hook AS (
          SELECT id, events, place_entry,
            CASE WHEN place_of = ${incarnation} THEN place_order ELSE 0 END AS place_order
          FROM webhooks WHERE account_id = ${accountId} AND enabled FOR NO KEY UPDATE SKIP LOCKED
        ), page AS (
          SELECT hook.id AS webhook_id, e.*, ${eventsOf(raw('hook.events'))} AS is_told
          FROM hook, LATERAL (
            SELECT id, change_order, action, record_type, record_id FROM audit_entries
            WHERE account_id = ${accountId}
              AND (change_order, id) > (hook.place_order, hook.place_entry) AND change_order < ${order}
            ORDER BY change_order, id LIMIT ${max}
          ) AS e
        ), made AS (
          INSERT INTO webhook_deliveries
            (account_id, webhook_id, message_id, entry_id, event, record_type, record_id)
          SELECT ${accountId}::bigint, webhook_id, ${`msg_${incarnation}_`}::text || id, id, action, record_type,
            record_id FROM page WHERE is_told ORDER BY change_order, id
        ), moved AS (
          UPDATE webhooks SET place_of = ${incarnation}, place_order = last.change_order, place_entry = last.id
          FROM (
            SELECT DISTINCT ON (webhook_id) webhook_id, change_order, id FROM page
            ORDER BY webhook_id, change_order DESC, id DESC
          ) AS last
          WHERE webhooks.account_id = ${accountId} AND webhooks.id = last.webhook_id
        )
        SELECT hook.id AS webhook_id, COALESCE(bool_or(page.is_told), false) AS is_told,
          count(page.id) >= ${max} AS is_full
        FROM hook LEFT JOIN page ON page.webhook_id = hook.id GROUP BY hook.id`,
    );
  });
