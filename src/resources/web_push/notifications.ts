/** Whom an event that fell due concerns, and where they are notified of it. */
import type { Queryable } from '../../db/database.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';

/** A browser, and what its user is notified of there. */
export interface Notification {
  readonly id: number;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** How many events, and the title of the first with the record that it belongs to. */
  readonly events: number;
  readonly title: string;
  readonly contact_id: number;
  readonly deal_id: number | null;
}

/**
 * One for each browser of those who wrote the events, as the trail says, or are assigned to their deals, and
 * want it.
 */
export const notificationsOf = (
  db: Queryable,
  accountId: number,
  eventIds: readonly number[],
): Promise<Notification[]> =>
  db.query<Notification>(
    sql`WITH due AS (
        SELECT id, title, contact_id, deal_id FROM events
        WHERE account_id = ${accountId} AND id = ANY(${eventIds}::bigint[])
      ), concerned AS (
        SELECT due.id, a.user_id FROM due
        JOIN deal_assignees AS a ON a.account_id = ${accountId} AND a.deal_id = due.deal_id
        UNION
        SELECT record_id, user_id FROM audit_entries
        WHERE account_id = ${accountId} AND record_type = 'event' AND record_id = ANY(${eventIds}::bigint[])
          AND action = 'event.create' AND user_id IS NOT NULL
      )
      SELECT DISTINCT ON (s.id) s.id, s.endpoint, s.p256dh, s.auth, due.title, due.contact_id, due.deal_id,
        count(*) OVER (PARTITION BY s.id) AS events
      FROM concerned JOIN due ON due.id = concerned.id
      JOIN users AS u ON u.account_id = ${accountId} AND u.id = concerned.user_id
        AND u.webpush_notify_on_event_expired
      JOIN web_push_subscriptions AS s ON s.account_id = ${accountId} AND s.user_id = u.id
      ORDER BY s.id, due.id`,
    adhoc,
  );

/** Forgets browsers that take no notifications any more. */
export const forgetSubscriptions = (
  db: Queryable,
  accountId: number,
  ids: readonly number[],
): Promise<unknown> =>
  db.query(
    sql`DELETE FROM web_push_subscriptions WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[])`,
    adhoc,
  );
