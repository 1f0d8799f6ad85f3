/** Deliveries that a process has taken on, and what came of them. */
import { operating } from '../context/context.ts';
import type { Queryable } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql/sql.ts';
import { retryConflicts } from '../db/transactions/retry.ts';
import { keysOf } from '../lib/object_keys.ts';
import { auditEntries, entriesOf } from '../resources/audit/entry.ts';
import { bodiesOf, type DeliveryBody } from '../resources/webhooks/body.ts';
import { patienceDays } from './schedule.ts';
import type { Message, Outcome } from './send.ts';

/**
 * For this many seconds no other process takes a claimed delivery: by then its own process has recorded the
 * outcome, or is gone.
 */
export const claimSeconds = 30;

/** By which deliveries are due: an SQL expression. */
export type Clock = Sql;

/** The same for all processes. */
export const databaseClock = (): Clock => raw('now()');

/** A delivery to be sent, and what is; without a body when its change is no longer kept. */
export interface DeliveryClaim extends Omit<Message, 'body'> {
  readonly id: number;
  readonly event: string;
  /** Those that were made before. */
  readonly attempts: number;
  readonly body: string | undefined;
}

interface Row extends DeliveryBody {
  readonly message_id: string;
  readonly event: string;
  readonly attempts: number;
  readonly url: string;
  readonly secrets: readonly string[];
}

/**
 * Takes on deliveries of a webhook that are due, those that wait longest first.
 * @param max how many at most
 */
export async function claim(
  db: Queryable,
  accountId: number,
  webhookId: number,
  max: number,
  clock: Clock,
): Promise<readonly DeliveryClaim[]> {
  const rows = await db.query<Row>(
    sql`WITH hook AS (
        SELECT url, array_remove(ARRAY[secret, CASE WHEN previous_secret_until > ${clock} THEN previous_secret END], NULL) AS secrets
        FROM webhooks WHERE account_id = ${accountId} AND id = ${webhookId} AND enabled
      ), due AS (
        SELECT id FROM webhook_deliveries WHERE account_id = ${accountId} AND webhook_id = ${webhookId}
          AND status = 'pending' AND next_attempt_at <= ${clock} AND EXISTS (SELECT FROM hook)
        ORDER BY next_attempt_at, id LIMIT ${max} FOR NO KEY UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE webhook_deliveries SET next_attempt_at = ${clock} + make_interval(secs => ${claimSeconds})
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM due)) RETURNING *
      )
      SELECT id, webhook_id, message_id, entry_id, event, attempts, created_at, url, secrets
      FROM claimed, hook ORDER BY id`,
  );
  if (rows.length === 0) return [];
  const bodies = await bodiesOf(db, accountId, rows);
  return rows.map(({ id, webhook_id, message_id, event, attempts, created_at, url, secrets }) => {
    const { body, ...change } = bodies.get(id) ?? {};
    const about = { ...change, id, event, accountId, webhookId: webhook_id, attempts, created_at };
    return { id, message_id, event, attempts, url, secrets, body, about };
  });
}

/** Gives deliveries back for any process to claim: no attempt was made. */
export async function release(
  db: Queryable,
  accountId: number,
  ids: readonly number[],
  clock: Clock,
): Promise<void> {
  await db.query(
    sql`UPDATE webhook_deliveries SET next_attempt_at = ${clock}
        WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[]) AND status = 'pending'`,
  );
}

/** What came of an attempt, or why there was none. */
export interface Result extends Omit<Outcome, 'duration_ms'> {
  readonly id: number;
  /** Null where nothing was sent, which says nothing of the receiver. */
  readonly duration_ms: number | null;
  /** Seconds until the next attempt; null when there is none. */
  readonly pause: number | null;
}

const columns = {
  id: 'bigint',
  status: 'integer',
  answer: 'text',
  error: 'text',
  duration_ms: 'integer',
  pause: 'integer',
} as const satisfies Readonly<Record<keyof Result, string>>;

const names = keysOf(columns);

/**
 * Writes results of one account down. A webhook that has failed for too long is switched off, with
 * an entry in the audit trail.
 */
export function record(
  db: Queryable,
  accountId: number,
  results: readonly Result[],
  clock: Clock,
): Promise<unknown> {
  const ctx = operating({ db, now: new Date(), requestId: '' }, accountId);
  const lists = names.map(
    (name) => sql`${results.map((one) => one[name])}::${raw(`${columns[name]}[]`)}`,
  );
  const [first = raw('NULL'), ...others] = lists;
  const stop = {
    before: sql`'{"enabled":true}'::json`,
    after: sql`json_build_object('enabled', false, 'disabled_reason', stopped.disabled_reason)`,
  };
  const claims = others.reduce((list, one) => sql`${list}, ${one}`, first);
  return retryConflicts(() =>
    db.query(
      sql`WITH result AS (
          SELECT *, ${clock} AS clock, moment() AS moment, ${clock} + make_interval(secs => pause) AS next FROM unnest(${claims}) AS result (${raw(names.join(', '))})
        ), told AS (
          UPDATE webhook_deliveries AS d SET
            status = CASE WHEN result.error IS NULL THEN 'delivered' WHEN result.pause IS NULL THEN 'failed' ELSE 'pending' END,
            attempts = d.attempts + 1,
            next_attempt_at = CASE WHEN result.error IS NOT NULL THEN result.next END,
            response_status = result.status, response_body = CASE WHEN NOT ${isErased(accountId)} THEN result.answer END, error = result.error,
            duration_ms = result.duration_ms, delivered_at = CASE WHEN result.error IS NULL THEN result.clock END
          FROM result WHERE d.account_id = ${accountId} AND d.id = result.id AND d.status = 'pending'
          RETURNING d.webhook_id, result.error, result.duration_ms, result.clock, result.moment
        ), heard AS (
          SELECT webhook_id, bool_or(error IS NULL) AS is_well, max(error) AS error, max(clock) AS clock, max(moment) AS moment,
            max(clock) - make_interval(days => ${raw(String(patienceDays))}) AS patience FROM told
          WHERE duration_ms IS NOT NULL GROUP BY webhook_id
        ), judged AS (
          UPDATE webhooks SET
            failing_since = CASE WHEN NOT heard.is_well THEN COALESCE(failing_since, heard.clock) END,
            enabled = NOT ${isOver},
            updated_at = CASE WHEN ${isOver} THEN heard.moment ELSE updated_at END,
            disabled_at = CASE WHEN ${isOver} THEN heard.clock END,
            disabled_reason = CASE WHEN ${isOver}
              THEN left('failed for ${raw(String(patienceDays))} days, at last: ' || heard.error, 255) END
          FROM heard WHERE webhooks.account_id = ${accountId} AND webhooks.id = heard.webhook_id
            AND enabled AND (is_well <> (failing_since IS NULL) OR ${isOver})
          RETURNING webhooks.id, enabled, disabled_reason, updated_at
        ), stopped AS (
          SELECT id, disabled_reason, updated_at FROM judged WHERE NOT enabled
        ) ${auditEntries(ctx, entriesOf('webhook.update', 'stopped', stop))}`,
    ),
  );
}

/** Whether what was sent has been erased since, which the answer may repeat. Most answers are empty. */
const isErased = (accountId: number) =>
  sql`(result.answer <> '' AND EXISTS (SELECT FROM audit_entries
        WHERE account_id = ${accountId} AND id = d.entry_id AND erased_at IS NOT NULL))`;

const isOver = raw(
  `(NOT heard.is_well AND failing_since IS NOT NULL AND failing_since < heard.patience)`,
);
