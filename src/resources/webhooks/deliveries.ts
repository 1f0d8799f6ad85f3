/** What a webhook was sent or is to be sent: to look at, and to send again. */
import { randomBytes } from 'node:crypto';
import { authorize, readId } from '../../auth/policy.ts';
import type { Context, UnitOfWork } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { parseSearch } from '../../search/parse.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { getPage, type Page, recordsOf, type SearchArguments } from '../kernel/read/page.ts';
import { newestFirst } from '../kernel/read/read.ts';
import { getRecord, writeRecord } from '../kernel/read/record.ts';
import { type RecordResult, type RecordValues, valuesOf } from '../kernel/read/record_result.ts';
import { clock } from '../kernel/write/moment.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { shapes } from '../shapes.ts';
import { bodiesOf, type DeliveryBody } from './body.ts';
import { requireSubscribable, subscribableBy } from './events.ts';
import { lockWebhook, requireEnabled } from './lock.ts';

/**
 * A page of the deliveries of a webhook. A token sees only deliveries about kinds of records that
 * it may read: the webhook may have been sent others before.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE for a token that may not read all that the
 *   webhook is sent; NOT_FOUND; INVALID_SEARCH for a query, page or size that cannot be read
 */
export async function listDeliveries(
  ctx: Context,
  account: unknown,
  webhook: unknown,
  search: SearchArguments,
  selection: Selection,
): Promise<Page> {
  authorize(ctx.viewer, account, 'webhook_delivery.read');
  const webhook_id_eq = readId(webhook);
  await requireReadable(ctx, webhook_id_eq);
  const record_type_in = subscribableBy(ctx.viewer);
  const { where } = parseSearch({ webhook_id_eq, record_type_in }, 'webhook_deliveries', shapes);
  const columns = withBodies(selection);
  const page = await getPage(ctx, 'webhook_deliveries', search, columns, newestFirst, where);
  return { ...page, data: await seen(ctx, recordsOf(page), selection) };
}

async function requireReadable({ db, viewer }: UnitOfWork, id: number): Promise<void> {
  const [webhook] = await db.query<{ events: readonly string[] }>(
    sql`SELECT events FROM webhooks WHERE account_id = ${viewer.accountId} AND id = ${id}`,
    { reads: true },
  );
  if (!webhook) throw notFound();
  requireSubscribable(viewer, webhook.events);
}

const bodied = ['id', 'webhook_id', 'created_at'];

const asksForBodies = ({ fields }: Selection): boolean => fields.includes('request_body');

/** The selection with the fields that bodies are made from, if it asks for bodies. */
const withBodies = (selection: Selection): Selection =>
  asksForBodies(selection)
    ? { ...selection, fields: [...new Set([...selection.fields, ...bodied])].sort() }
    : selection;

/** Deliveries as they are shown, with bodies in place of the fields that they are made from. */
async function seen(
  ctx: UnitOfWork,
  records: readonly RecordValues[],
  selection: Selection,
): Promise<RecordValues[]> {
  if (!asksForBodies(selection)) return [...records];
  const changes = records.map(
    (record): DeliveryBody => ({
      id: Number(record.id),
      entry_id: record.request_body === null ? null : Number(record.request_body),
      webhook_id: Number(record.webhook_id),
      created_at: String(record.created_at),
    }),
  );
  const bodies = await bodiesOf(ctx.db, ctx.viewer.accountId, changes);
  return records.map((record) => ({
    ...record,
    request_body: bodies.get(Number(record.id))?.body ?? null,
  }));
}

const changed = async (
  ctx: UnitOfWork,
  selection: Selection,
  steps: Sql,
): Promise<RecordResult | undefined> => {
  const written = await writeRecord(ctx, 'webhook_deliveries', withBodies(selection), steps);
  return written && (await seen(ctx, [valuesOf(written)], selection))[0];
};

/**
 * Has a test sent, which is tried once.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND; VALIDATION_FAILED
 *   for a webhook that is switched off
 */
export async function testWebhook(
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
): Promise<RecordResult> {
  const accountId = authorize(ctx.viewer, account, 'webhook.test');
  const webhookId = readId(id);
  const delivery = await inTransaction(ctx, async (tx) => {
    const webhook = await lockWebhook(tx, webhookId);
    requireSubscribable(ctx.viewer, webhook.events);
    requireEnabled(webhook);
    const message = `msg_test_${randomBytes(12).toString('hex')}`;
    return changed(
      tx,
      selection,
      sql`written AS (
        INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, next_attempt_at, created_at)
        SELECT ${accountId}::bigint, ${webhookId}::bigint, ${message}, 'webhook.test', 'webhook', ${webhookId}::bigint, clock, clock
        FROM (SELECT ${clock} AS clock OFFSET 0) AS source RETURNING *, xmin
      ), tested AS (SELECT webhook_id AS id, created_at AS updated_at FROM written),
      audit AS (${auditEntries(tx, entriesOf('webhook.test', 'tested', { before: null, after: null }))})`,
    );
  });
  if (!delivery) throw new Error('the new delivery was not returned');
  ctx.deliveries.wake();
  return delivery;
}

/**
 * Has a delivery sent again at once, whatever became of it.
 * @throws {Fault} FORBIDDEN for all but admins; INSUFFICIENT_SCOPE; NOT_FOUND; VALIDATION_FAILED
 *   for a webhook that is switched off
 */
export async function retryDelivery(
  ctx: Context,
  account: unknown,
  id: unknown,
  selection: Selection,
): Promise<RecordResult> {
  const accountId = authorize(ctx.viewer, account, 'webhook_delivery.retry');
  const deliveryId = readId(id);
  const delivery = await inTransaction(ctx, async (tx) => {
    const row = valuesOf(await getRecord(tx, 'webhook_deliveries', deliveryId, ofWebhook));
    const webhook = await lockWebhook(tx, Number(row.webhook_id));
    requireSubscribable(ctx.viewer, [...webhook.events, String(row.event)]);
    requireEnabled(webhook);
    const changes = {
      before: sql`json_build_object('status', found.status)`,
      after: sql`'{"status":"pending"}'::json`,
    };
    return changed(
      tx,
      selection,
      sql`found AS (
        SELECT id, status FROM webhook_deliveries WHERE account_id = ${accountId} AND id = ${deliveryId}
      ), written AS (
        UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = ${clock}, delivered_at = NULL
        WHERE account_id = ${accountId} AND id = ${deliveryId} RETURNING *, xmin
      ), audit AS (${auditEntries(tx, entriesOf('webhook_delivery.retry', 'found', changes, { at: clock }))})`,
    );
  });
  if (!delivery) throw notFound();
  ctx.deliveries.wake();
  return delivery;
}

const ofWebhook: Selection = { fields: ['event', 'webhook_id'], relations: [] };
