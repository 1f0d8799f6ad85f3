/** What is sent to webhooks: a change as in the feed, read when it is sent. */
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { isoTimestamp } from '../../db/sql/timestamp.ts';
import { JsonText, stringifyJson } from '../../json/json.ts';
import { isRestoration } from '../audit/entry.ts';
import { writeCursor } from '../changes/cursor.ts';
import { readHorizon } from '../changes/horizon.ts';
import type { Entry } from '../changes/statement.ts';

/** The parts of a delivery that decide what is sent. */
export interface DeliveryBody {
  readonly id: number;
  /** Null of a test. */
  readonly entry_id: number | null;
  readonly webhook_id: number;
  readonly created_at: string;
}

interface OrderedEntry extends Entry {
  readonly change_order: number;
  readonly traceparent: string | null;
}

/** What a delivery tells. */
export interface DeliveryContent {
  /** As JSON. */
  readonly body: string;
  /** When the change was made, as a timestamp of the database. */
  readonly changed_at: string;
  /** The span that made it, as W3C Trace Context writes it; null where none was recorded. */
  readonly traceparent: string | null;
}

/**
 * What an account's deliveries tell.
 * @returns by the delivery's id; none of those whose change is no longer kept
 */
export async function bodiesOf(
  db: Queryable,
  accountId: number,
  deliveries: readonly DeliveryBody[],
): Promise<ReadonlyMap<number, DeliveryContent>> {
  const ids = deliveries.flatMap(({ entry_id }) => entry_id ?? []);
  const { incarnation } = await readHorizon(db);
  const entries =
    ids.length > 0 ? await entriesOf(db, accountId, ids) : new Map<number, OrderedEntry>();
  const bodies = new Map<number, DeliveryContent>();
  for (const delivery of deliveries) {
    const entry = delivery.entry_id === null ? testOf(delivery) : entries.get(delivery.entry_id);
    if (!entry) continue;
    const { created_at: changed_at, traceparent } = entry;
    bodies.set(delivery.id, { body: bodyOf(entry, incarnation), changed_at, traceparent });
  }
  return bodies;
}

async function entriesOf(
  db: Queryable,
  accountId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, OrderedEntry>> {
  const entries = await db.query<OrderedEntry>(
    sql`SELECT id, action, record_type, record_id, before::text AS before, after::text AS after,
          user_id, token_id, request_id, created_at, change_order, traceparent, ${isRestoration} AS restored
        FROM audit_entries WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[])`,
    { reads: true },
  );
  return new Map(entries.map((entry) => [entry.id, entry]));
}

const testOf = ({ webhook_id, created_at }: DeliveryBody): OrderedEntry => ({
  // It has no place among the changes.
  id: 0,
  change_order: 0,
  action: 'webhook.test',
  record_type: 'webhook',
  record_id: webhook_id,
  before: null,
  after: null,
  user_id: null,
  token_id: null,
  request_id: '',
  created_at,
  restored: false,
  traceparent: null,
});

function bodyOf(entry: OrderedEntry, incarnation: string): string {
  const { id, change_order: order } = entry;
  const { action, record_type, record_id, before, after, user_id, token_id, request_id } = entry;
  return stringifyJson({
    cursor: id === 0 ? null : writeCursor({ incarnation, order, id, seen: [] }),
    at: isoTimestamp(entry.created_at),
    action: action.slice(action.indexOf('.') + 1),
    record_type,
    record_id,
    before: before === null ? null : new JsonText(before),
    after: after === null ? null : new JsonText(after),
    user_id,
    token_id,
    request_id,
    ...(entry.restored && { restored: true }),
  });
}
