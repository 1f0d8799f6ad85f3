import { authorize, readId } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { invalid } from '../../errors.ts';
import { recordAudit } from '../audit/entry.ts';
import { readHorizon } from '../changes/horizon.ts';
import { required, timestamp } from '../kernel/fields.ts';
import { type Input, readNew } from '../kernel/input.ts';
import { clock } from '../kernel/moment.ts';
import { inTransaction } from '../kernel/transaction.ts';
import { requireTold, toldBy } from './events.ts';
import { lockWebhook, requireEnabled } from './lock.ts';

/** Changes that one replay sends at most. */
const most = 100_000;

const fields = { from: required(timestamp), to: timestamp };

/**
 * Sends the changes of a period again, as far as the webhook is subscribed to them now, each under
 * the id that it had. Deliveries that are still pending are left as they are.
 * @returns how many are sent
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND; VALIDATION_FAILED
 *   for an invalid period or one with too many changes, and for a webhook that is switched off
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
    const webhook = await lockWebhook(tx, webhookId);
    requireTold(ctx.viewer, webhook.events);
    faults.throwIfAny();
    requireEnabled(webhook);
    const { incarnation } = await readHorizon(tx.db);
    const [made] = await tx.db.query<{ count: number }>(
      sql`WITH found AS (
          SELECT id, action, record_type, record_id FROM audit_entries AS e
          WHERE account_id = ${accountId} AND created_at BETWEEN ${from} AND ${last}
            AND ${toldBy(sql`${webhook.events}::text[]`)}
            AND NOT EXISTS (SELECT FROM webhook_deliveries AS d
              WHERE d.account_id = ${accountId} AND d.webhook_id = ${webhookId}
                AND d.entry_id = e.id AND d.status = 'pending')
          ORDER BY id LIMIT ${most + 1}
        ), made AS (
          INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, entry_id, event, record_type, record_id, next_attempt_at, created_at)
          SELECT ${accountId}::bigint, ${webhookId}::bigint, ${`msg_${incarnation}_`}::text || id, id, action,
            record_type, record_id, ${clock}, ${clock} FROM found RETURNING id
        ) SELECT count(*) AS count FROM made`,
    );
    const count = made?.count ?? 0;
    if (count > most) throw invalid('to', `has more than ${most} changes since from`);
    const after = { from, to: last, deliveries: count };
    await recordAudit(tx, 'webhook.replay', webhookId, { before: null, after });
    return count;
  });
  ctx.deliveries.wake();
  return { deliveries };
}
