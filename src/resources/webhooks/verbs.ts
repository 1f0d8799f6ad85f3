/** Webhooks: where an account's changes are sent, and what signs them. */

import { authorize, readId } from '../../auth/policy.ts';
import { everything } from '../../auth/scopes.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { coded, mustExist } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import { auditedValue } from '../audit/columns.ts';
import { auditEntries, creationOf, entriesOf } from '../audit/entry.ts';
import { readHorizon } from '../changes/horizon.ts';
import { type Input, readFields, readNew } from '../kernel/fields/input.ts';
import { getRecord, writeRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { withDefaults } from '../kernel/resource.ts';
import { insertion } from '../kernel/write/insert.ts';
import { lockAlone } from '../kernel/write/lock.ts';
import { clock } from '../kernel/write/moment.ts';
import { removal } from '../kernel/write/removal.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { updateRecord } from '../kernel/write/update_in_place.ts';
import { type Remove, refusing, type Update } from '../kernel/write/write.ts';
import { requireSubscribable } from './events.ts';
import { lockWebhook } from './lock.ts';
import { newestPlace } from './place.ts';
import { webhooks } from './record.ts';
import { newSecret, overlapHours } from './secret.ts';

/** Webhooks of one account at most. */
const max = 50;

/** A webhook, and what nobody can read again. */
interface NewWebhook {
  readonly webhook: RecordResult;
  readonly secret: string;
}

const columns = ['secret', 'place_of', 'place_order', 'place_entry'];

const insert = insertion(
  webhooks,
  Object.fromEntries(columns.map((column) => [column, `given.${column}`])),
  'given',
);

const toNobody = refusing('foreign_key', 'user_id', mustExist);

/**
 * Has changes sent to a URL: those that are made from now on.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE for a token that may not read all that
 *   would be sent; VALIDATION_FAILED for an invalid field, and past the most that an account may have
 */
export async function createWebhook(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<NewWebhook> {
  const accountId = authorize(ctx.viewer, account, 'webhook.create');
  refuseDryRun(ctx);
  const faults = faultsOf(ctx);
  const fields = readNew(input, webhooks.fields, faults);
  refuseReceiver(ctx, fields, faults);
  requireSubscribable(ctx.viewer, fields.events ?? []);
  faults.throwIfAny();
  const { userId } = ctx.viewer;
  const own = fields.user_id === undefined ? { user_id: userId } : {};
  const after = withDefaults(webhooks, fields, own);
  const secret = newSecret();
  // Read before others are made to wait, because of several servers it asks each.
  const place = newestPlace(accountId, await readHorizon(ctx.db));
  const webhook = await inTransaction(ctx, async (tx) => {
    await requireRoom(tx);
    const steps = sql`given AS (SELECT ${secret}::text AS secret, place.* FROM (${place}) AS place),
      written AS (${insert(tx, after)}),
      audit AS (${auditEntries(tx, creationOf(webhooks, 'written'))})`;
    return writeRecord(tx, 'webhooks', selection, steps);
  }).catch(toNobody);
  if (!webhook) throw new Error(`the new webhook of account ${accountId} was not returned`);
  ctx.deliveries.wake();
  return { webhook, secret };
}

/** Calls that create a webhook at the same time wait for each other here. */
async function requireRoom(ctx: UnitOfWork): Promise<void> {
  const { accountId } = ctx.viewer;
  await lockAlone(ctx.db, accountId, 'webhooks');
  const [row] = await ctx.db.query<{ count: number }>(
    sql`SELECT count(*) AS count FROM webhooks WHERE account_id = ${accountId}`,
  );
  const faults = faultsOf(ctx);
  if ((row?.count ?? 0) >= max) {
    const message = `cannot be added: the account has ${max} webhooks, which is the most`;
    faults.add('url', coded('too_many', message));
  }
  faults.throwIfAny();
}

function refuseReceiver(
  { deliveries }: UnitOfWork,
  { url }: { readonly url?: string },
  faults: Faults,
): void {
  const refusal = url === undefined ? undefined : deliveries.refusal(new URL(url));
  if (refusal !== undefined) faults.add('url', refusal);
}

/**
 * Changes a webhook. One that is switched on again gets what changes from then on.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE for a token that may not read all that the
 *   webhook is sent before and after the change; NOT_FOUND; VALIDATION_FAILED
 */
export const updateWebhook: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'webhook.update');
  const webhookId = readId(id);
  const faults = faultsOf(ctx);
  const fields = readFields(input, webhooks.fields, faults);
  refuseReceiver(ctx, fields, faults);
  const webhook = await inTransaction(ctx, async (tx) => {
    const { events, enabled } = await lockWebhook(tx, webhookId);
    const waiting = fields.url === undefined ? [] : await eventsWaiting(tx, webhookId);
    requireSubscribable(ctx.viewer, [...events, ...(fields.events ?? []), ...waiting]);
    faults.throwIfAny();
    if (fields.enabled !== undefined && fields.enabled !== enabled) {
      await setSwitch(tx, webhookId, fields.enabled);
    }
    return updateRecord(tx, webhooks, webhookId, fields, selection);
  }).catch(toNobody);
  ctx.deliveries.wake();
  return webhook;
};

/**
 * Events of pending deliveries, which would go to another URL. A caller who may read everything
 * need not know.
 */
async function eventsWaiting({ db, viewer }: UnitOfWork, id: number): Promise<readonly string[]> {
  if (viewer.scopes === everything) return [];
  const rows = await db.query<{ event: string }>(
    sql`SELECT DISTINCT event FROM webhook_deliveries
        WHERE account_id = ${viewer.accountId} AND webhook_id = ${id} AND status = 'pending'`,
  );
  return rows.map(({ event }) => event);
}

/** What goes with the switch itself, which the caller sets. */
async function setSwitch(ctx: UnitOfWork, id: number, on: boolean): Promise<void> {
  const { accountId } = ctx.viewer;
  await ctx.db.query(
    sql`UPDATE webhooks SET failing_since = NULL, disabled_reason = NULL,
          disabled_at = ${on ? raw('NULL') : clock},
          place_of = place.place_of, place_order = place.place_order, place_entry = place.place_entry
        FROM (${newestPlace(accountId, await readHorizon(ctx.db))}) AS place
        WHERE webhooks.account_id = ${accountId} AND webhooks.id = ${id}`,
  );
}

/** Deliveries removed by one statement, so that none takes long. */
const batch = 5000;

/**
 * Removes a webhook with its deliveries. These go first, in batches; a call that is interrupted can simply be
 * repeated. Deliveries that are being made meanwhile go with the webhook.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND; PRECONDITION_FAILED
 */
export const deleteWebhook: Remove = async (ctx, account, id) => {
  const accountId = authorize(ctx.viewer, account, 'webhook.delete');
  const webhookId = readId(id);
  await inTransaction(ctx, (tx) => lockWebhook(tx, webhookId));
  const deliveries = sql`DELETE FROM webhook_deliveries WHERE account_id = ${accountId} AND id = ANY(ARRAY(
      SELECT id FROM webhook_deliveries WHERE account_id = ${accountId} AND webhook_id = ${webhookId}
      ORDER BY id LIMIT ${batch})) RETURNING id`;
  // Those that are gone stay gone, also where the call came with a key.
  const db = ctx.db.outsideTransaction ?? ctx.db;
  for (let gone = batch; gone === batch; ) {
    gone = (await retryConflicts(() => db.query(deliveries))).length;
  }
  await inTransaction(ctx, async (tx) => {
    await lockWebhook(tx, webhookId);
    const { steps, entries } = removal(tx, 'webhooks', sql`id = ${webhookId}`);
    await tx.db.query(sql`WITH ${steps} ${auditEntries(tx, ...entries)}`);
  });
  return { id: webhookId };
};

/**
 * Makes another secret; the one of before signs as well for a day, so that receivers can change over.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND
 */
export async function rotateSecret(
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
): Promise<NewWebhook> {
  authorize(ctx.viewer, account, 'webhook.rotate_secret');
  refuseDryRun(ctx);
  const webhookId = readId(id);
  const secret = newSecret();
  return inTransaction(ctx, async (tx) => {
    const { events } = await lockWebhook(tx, webhookId);
    requireSubscribable(ctx.viewer, events);
    const after = sql`json_build_object('previous_secret_until', ${raw(auditedValue('timestamp', 'written.previous_secret_until'))})`;
    await tx.db.query(
      sql`WITH written AS (
          UPDATE webhooks SET secret = ${secret}, previous_secret = secret,
            previous_secret_until = ${clock} + make_interval(hours => ${overlapHours}::integer)
          WHERE account_id = ${ctx.viewer.accountId} AND id = ${webhookId} RETURNING *
        ) ${auditEntries(tx, entriesOf('webhook.rotate_secret', 'written', { before: null, after }, { at: clock }))}`,
    );
    return { webhook: await getRecord(tx, 'webhooks', webhookId, selection), secret };
  });
}
