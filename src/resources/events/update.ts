import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { conflict, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { isoTimestamp } from '../../db/timestamp.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry, changesBetween } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { getRecord, type Stored, type Working, writeRecord } from '../record.ts';
import { type EventSent, type EventValues, eventFields, kinds, nextDoneAt } from './fields.ts';

/**
 * Changes the fields sent of a note or an activity. What the service wrote itself tells what
 * happened, and stays as it is.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, or an event of the service
 */
export async function updateEvent(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> {
  authorize(ctx.viewer, account, 'event.update');
  const eventId = readId(id);
  return retrying(async () => {
    const before = await currentEvent(ctx, eventId);
    if (!before) throw notFound();
    const faults = new Faults();
    if (!isClients(before.kind)) {
      faults.add('kind', 'is one that the service writes itself, and cannot be changed');
      faults.throwIfAny();
    }
    const sent = readFields(input, eventFields, faults);
    faults.throwIfAny();
    return changeEvent(ctx, before, sent, selection);
  });
}

const isClients = (kind: string): boolean => kinds.some((known) => known === kind);

type CurrentEvent = EventValues & { readonly id: number; readonly version: string };

async function currentEvent(ctx: Working, id: number): Promise<CurrentEvent | undefined> {
  const [row] = await ctx.db.query<CurrentEvent>(
    sql`SELECT id, kind, title, content, scheduled_at, done_at, auto_done, xmin::text AS version,
          custom_attributes::text AS custom_attributes, additional_attributes::text AS additional_attributes
        FROM events WHERE account_id = ${ctx.viewer.accountId} AND id = ${id}`,
    { named: true },
  );
  if (!row) return undefined;
  return {
    ...row,
    scheduled_at: row.scheduled_at && isoTimestamp(row.scheduled_at),
    done_at: row.done_at && isoTimestamp(row.done_at),
  };
}

async function changeEvent(
  ctx: Working,
  before: CurrentEvent,
  sent: EventSent,
  selection: Selection,
): Promise<Stored> {
  const { done: _, ...values } = sent;
  const after = { ...before, ...values, done_at: nextDoneAt(before.done_at, sent, ctx.now) };
  const changes = changesBetween(before, after);
  if (!changes) return getRecord(ctx, 'events', before.id, selection);
  const written = await writeRecord(
    ctx,
    'events',
    selection,
    sql`written AS (
      UPDATE events SET kind = ${after.kind}, title = ${after.title}, content = ${after.content},
        scheduled_at = ${after.scheduled_at}::timestamptz, done_at = ${after.done_at}::timestamptz,
        auto_done = ${after.auto_done}, custom_attributes = ${after.custom_attributes}::json,
        additional_attributes = ${after.additional_attributes}::json,
        updated_at = ${ctx.now.toISOString()}::timestamptz
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${before.id} AND xmin = ${before.version}::xid
      RETURNING *
    ), audit AS (${auditEntry(ctx, 'event.update', 'written', changes)})`,
  );
  if (!written) throw conflict();
  return written;
}
