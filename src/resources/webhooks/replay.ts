import { authorize, readId } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { invalid, TooMany } from '../../errors/errors.ts';
import { recordAudit } from '../audit/entry.ts';
import { readHorizon } from '../changes/horizon.ts';
import { required, timestamp } from '../kernel/fields/fields.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';
import { clock } from '../kernel/write/moment.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { eventsOf, requireSubscribable } from './events.ts';
import { lockWebhook, lockWebhooks, requireEnabled } from './lock.ts';

/** Changes that one replay sends at most. */
const maxChanges = 100_000;

/** Deliveries that an account may have pending for another replay, this one's included. */
const maxPending = 200_000;

/** Seconds after which it is worth another attempt: deliveries are sent by the thousand a minute. */
const laterSeconds = 60;

const stillPending = `The account would have more than ${maxPending} deliveries pending: replay again once some are sent`;

interface ReplayCounts {
  readonly changes: number;
  readonly pending: number;
}

const fields = { from: required(timestamp), to: timestamp };

/**
 * Sends the changes of a period again, as far as the webhook is subscribed to them now, each under
 * the id that it had. Deliveries that are still pending are left as they are.
 * @returns how many are sent
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND; VALIDATION_FAILED
 *   for an invalid period or one with too many changes, and for a webhook that is switched off;
 *   TOO_MANY_REQUESTS while too many deliveries of the account are pending
 */
export async function replayWebhook(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
): Promise<{ deliveries: number }> {
  const accountId = authorize(ctx.viewer, account, 'webhook.replay');
  const webhookId = readId(id);
  const faults = faultsOf(ctx);
  const { from = null, to } = readNew(input, fields, faults);
  const last = to ?? ctx.now.toISOString();
  if (from !== null && from > last) faults.add('to', 'must not be before from');
  const deliveries = await inTransaction(ctx, async (tx) => {
    // Replays of an account come one after the other, or each would count without the others.
    await lockWebhooks(tx);
    const webhook = await lockWebhook(tx, webhookId);
    requireSubscribable(ctx.viewer, webhook.events);
    faults.throwIfAny();
    requireEnabled(webhook);
    const { incarnation } = await readHorizon(tx.db);
    const entries = sql`SELECT id, action, record_type, record_id FROM audit_entries AS e
      WHERE account_id = ${accountId} AND created_at BETWEEN ${from} AND ${last}
        AND ${eventsOf(sql`${webhook.events}::text[]`)}
        AND NOT EXISTS (SELECT FROM webhook_deliveries AS d
          WHERE d.account_id = ${accountId} AND d.webhook_id = ${webhookId}
            AND d.entry_id = e.id AND d.status = 'pending')`;
    const [{ changes, pending } = { changes: 0, pending: 0 }] = await tx.db.query<ReplayCounts>(
      sql`SELECT
        (SELECT count(*) FROM (SELECT FROM (${entries}) AS found LIMIT ${maxChanges + 1}) AS counted) AS changes,
        (SELECT count(*) FROM (
          SELECT FROM webhook_deliveries WHERE account_id = ${accountId} AND status = 'pending' LIMIT ${maxPending}
        ) AS counted) AS pending`,
      adhoc,
    );
    if (changes > maxChanges)
      throw invalid('to', coded('too_many', `has more than ${maxChanges} changes since from`));
    if (changes + pending > maxPending) throw new TooMany(laterSeconds, stillPending);
    const [row] = await tx.db.query<{ count: number }>(
      sql`WITH found AS (${entries} ORDER BY id LIMIT ${maxChanges}), made AS (
          INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, entry_id, event, record_type, record_id, next_attempt_at, created_at)
          SELECT ${accountId}::bigint, ${webhookId}::bigint, ${`msg_${incarnation}_`}::text || id, id, action,
            record_type, record_id, ${clock}, ${clock} FROM found RETURNING id
        ) SELECT count(*) AS count FROM made`,
      adhoc,
    );
    const count = row?.count ?? 0;
    const after = { from, to: last, deliveries: count };
    await recordAudit(tx, 'webhook.replay', webhookId, { before: null, after });
    return count;
  });
  ctx.deliveries.wake();
  return { deliveries };
}
