import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { isBroken } from '../../db/errors.ts';
import { retrying } from '../../db/retrying.ts';
import type { Selection } from '../../db/shape.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { auditEntry } from '../audit/entry.ts';
import { type Input, readNew } from '../kernel/fields.ts';
import { insertion } from '../kernel/insert.ts';
import { type Stored, writeRecord } from '../kernel/record.ts';
import { complete } from '../kernel/resource.ts';
import { events, nextDoneAt } from './record.ts';

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

const insert = insertion(
  events,
  { contact_id: 'owner.contact_id', deal_id: 'owner.deal_id' },
  'owner',
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
  const sent = readNew(input, events.fields, faults);
  if (faults.any && (await ctx.db.query(owner, { named: true })).length === 0) throw notFound();
  faults.throwIfAny();
  const after = complete(events, sent, { done_at: nextDoneAt(null, sent, ctx.now) });
  const written = await retrying(
    () =>
      writeRecord(
        ctx,
        'events',
        selection,
        sql`owner AS (${owner}), written AS (${insert(ctx, after)}),
          audit AS (${auditEntry(ctx, 'event.create', 'written', { before: null, after })})`,
      ),
    isBroken('foreign_key'),
  );
  if (!written) throw notFound();
  return written;
}
