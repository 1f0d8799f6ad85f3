/** Browsers in which users are notified of what falls due (RFC 8030). */
import { ECDH } from 'node:crypto';
import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { invalid } from '../../errors/errors.ts';
import { required, text } from '../kernel/fields/fields.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';

/** Browsers of one user; the oldest make room. */
const maxOfUser = 20;

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64url');

/** Whether it is an uncompressed point of P-256 (RFC 8291): nothing can be encrypted for any other. */
function isPoint(base64: string): boolean {
  const bytes = bytesOf(base64);
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** A secret (RFC 8291). */
const isSecret = (base64: string): boolean => bytesOf(base64).length === 16;

const fields = {
  endpoint: required(
    text({
      max: 1024,
      check: (url) => (URL.canParse(url) ? undefined : 'must be a URL'),
    }),
  ),
  p256dh: required(
    text({
      max: 128,
      check: (key) => (isPoint(key) ? undefined : 'must be a public key in base64url'),
    }),
  ),
  auth: required(
    text({
      max: 64,
      check: (secret) => (isSecret(secret) ? undefined : 'must be 16 bytes in base64url'),
    }),
  ),
};

/**
 * Has the viewer's user notified in a browser, where their `webpush_notify_on_event_expired` is set. The same
 * browser again replaces its keys.
 * @param input the browser's `PushSubscription`: `endpoint`, and of its `keys` `p256dh` and `auth`
 * @throws {Fault} VALIDATION_FAILED for an invalid field, or an endpoint to which nothing may be sent
 */
export async function subscribeWebPush(
  ctx: Context,
  account: unknown,
  input: Input,
): Promise<boolean> {
  const accountId = authorize(ctx.viewer, account, 'me.update');
  refuseDryRun(ctx);
  const { userId } = ctx.viewer;
  const faults = faultsOf(ctx);
  const { endpoint = '', p256dh, auth } = readNew(input, fields, faults);
  faults.throwIfAny();
  const refusal = ctx.deliveries.refusal(new URL(endpoint));
  if (refusal !== undefined) throw invalid('endpoint', refusal);
  await retryConflicts(() =>
    ctx.db.query(
      sql`WITH written AS (
          INSERT INTO web_push_subscriptions (account_id, user_id, endpoint, p256dh, auth)
          VALUES (${accountId}, ${userId}, ${endpoint}, ${p256dh}, ${auth})
          ON CONFLICT (account_id, user_id, endpoint)
          DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth RETURNING id
        )
        DELETE FROM web_push_subscriptions WHERE account_id = ${accountId} AND id IN (
          SELECT id FROM web_push_subscriptions WHERE account_id = ${accountId} AND user_id = ${userId}
            AND id <> ALL(ARRAY(SELECT id FROM written)) ORDER BY id DESC OFFSET ${maxOfUser - 1})`,
    ),
  );
  return true;
}

/**
 * Ends the notifications in a browser.
 * @param endpoint as it was given for them
 * @returns whether there were any
 * @throws {Fault} VALIDATION_FAILED where it is no text
 */
export async function unsubscribeWebPush(
  ctx: Context,
  account: unknown,
  endpoint: unknown,
): Promise<boolean> {
  const accountId = authorize(ctx.viewer, account, 'me.update');
  const faults = faultsOf(ctx);
  const values = readNew({ endpoint }, { endpoint: required(text()) }, faults);
  faults.throwIfAny();
  const gone = await ctx.db.query(
    sql`DELETE FROM web_push_subscriptions WHERE account_id = ${accountId}
          AND user_id = ${ctx.viewer.userId} AND endpoint = ${values.endpoint} RETURNING id`,
  );
  return gone.length > 0;
}
