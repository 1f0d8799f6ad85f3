import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken, retrying } from '../../db/errors.ts';
import type { Selection } from '../../db/shape.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readFields } from '../fields.ts';
import { type Stored, writeRecord } from '../record.ts';
import { blankEvent, eventFields, nextDoneAt } from './fields.ts';

/**
 * Writes an event of a deal, and so of the deal's contact.
 * @throws {Fault} NOT_FOUND when the account has no such deal; VALIDATION_FAILED
 */
export const createDealEvent = (
  ctx: Context,
  account: unknown,
  dealId: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> =>
  createEvent(
    ctx,
    account,
    input,
    selection,
    (accountId) =>
      sql`SELECT contact_id, id AS deal_id FROM deals WHERE account_id = ${accountId} AND id = ${readId(dealId)}`,
  );

/**
 * Writes an event of a contact.
 * @throws {Fault} NOT_FOUND when the account has no such contact; VALIDATION_FAILED
 */
export const createContactEvent = (
  ctx: Context,
  account: unknown,
  contactId: unknown,
  input: Input,
  selection: Selection,
): Promise<Stored> =>
  createEvent(
    ctx,
    account,
    input,
    selection,
    (accountId) =>
      sql`SELECT id AS contact_id, NULL::bigint AS deal_id FROM contacts
        WHERE account_id = ${accountId} AND id = ${readId(contactId)}`,
  );

/** @param ownerOf the query of whose the event is: `contact_id` and `deal_id` */
async function createEvent(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
  ownerOf: (accountId: number) => Sql,
): Promise<Stored> {
  const accountId = authorize(ctx.viewer, account, 'event.create');
  const owner = ownerOf(accountId);
  const faults = new Faults();
  const sent = readFields(input, eventFields, faults);
  if (sent.kind === undefined && !faults.has('kind')) faults.add('kind', "can't be blank");
  if (faults.any && (await ctx.db.query(owner, { named: true })).length === 0) throw notFound();
  faults.throwIfAny();
  const { done: _, ...values } = sent;
  const doneAt = nextDoneAt(null, sent, ctx.now);
  const event = { kind: '', ...blankEvent, ...values, done_at: doneAt };
  const now = ctx.now.toISOString();
  const written = await retrying(
    () =>
      writeRecord(
        ctx,
        'events',
        selection,
        sql`owner AS (${owner}), written AS (
          INSERT INTO events (account_id, contact_id, deal_id, kind, title, content, scheduled_at, done_at, auto_done,
            custom_attributes, additional_attributes, created_at, updated_at)
          SELECT ${accountId}::bigint, owner.contact_id, owner.deal_id, ${event.kind}, ${event.title}, ${event.content},
            ${event.scheduled_at}::timestamptz, ${event.done_at}::timestamptz, ${event.auto_done}::boolean,
            ${event.custom_attributes}::json, ${event.additional_attributes}::json,
            ${now}::timestamptz, ${now}::timestamptz
          FROM owner RETURNING *
        ), audit AS (${auditEntry(ctx, 'event.create', 'written', { before: null, after: event })})`,
      ),
    isBroken('foreign_key'),
  );
  if (!written) throw notFound();
  return written;
}
