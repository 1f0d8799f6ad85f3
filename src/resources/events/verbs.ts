import { authorize, readId } from '../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { coded } from '../../errors/codes.ts';
import { type Faults, invalid, notFound } from '../../errors/errors.ts';
import { auditEntries, creationOf } from '../audit/entry.ts';
import { type Input, readFields, readNew, refuseMoves } from '../kernel/fields/input.ts';
import { writeRecord } from '../kernel/read/record.ts';
import { type Values, withDefaults } from '../kernel/resource.ts';
import { insertion } from '../kernel/write/insert.ts';
import { fixMoment } from '../kernel/write/moment.ts';
import { mergedInto } from '../kernel/write/patch.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { currentOf, overwriting } from '../kernel/write/update_after_read.ts';
import { requireExpected } from '../kernel/write/version.ts';
import { deleting, type Update } from '../kernel/write/write.ts';
import { type EventFields, events, kinds, nextDoneAt } from './record.ts';

/**
 * Creates an event of a deal, and so of the deal's contact.
 * @throws {Fault} NOT_FOUND when the account has no such deal; VALIDATION_FAILED
 */
export const createDealEvent = creatingFor(
  (accountId, id) =>
    // While the deal gets another contact, the event waits to learn which.
    sql`SELECT contact_id, id AS deal_id FROM deals WHERE account_id = ${accountId} AND id = ${id}
        FOR KEY SHARE`,
);

/**
 * Creates an event of a contact.
 * @throws {Fault} NOT_FOUND when the account has no such contact; VALIDATION_FAILED
 */
export const createContactEvent = creatingFor(
  (accountId, id) =>
    sql`SELECT id AS contact_id, NULL::bigint AS deal_id FROM contacts
        WHERE account_id = ${accountId} AND id = ${id}`,
);

/** What an event belongs to. */
export interface Owner {
  readonly contact_id: number;
  readonly deal_id: number | null;
}

/** @param ownerOf the query of the event's {@link Owner} */
function creatingFor(ownerOf: (accountId: number, id: number) => Sql): Update {
  const owned = {
    contact_id: 'owner.contact_id',
    deal_id: 'owner.deal_id',
    created_by_id: 'owner.created_by_id',
    from_me: 'true',
  };
  const insert = insertion(events, owned, 'owner');
  return async (ctx, account, id, input, selection) => {
    const owner = ownerOf(authorize(ctx.viewer, account, 'event.create'), readId(id));
    const faults = faultsOf(ctx);
    const fields = readNew(input, events.fields, faults);
    if (faults.any || fields.contact_id !== undefined || fields.deal_id !== undefined) {
      const [row] = await ctx.db.query<Owner>(owner);
      if (!row) throw notFound();
      refuseOthers(fields, row, faults);
      faults.throwIfAny();
    }
    const write = async (tx: UnitOfWork) => {
      const after = newEvent(fields, tx.now);
      const steps = sql`owner AS (SELECT *, ${authorOf(tx)}::bigint AS created_by_id FROM (${owner}) AS found), written AS (${insert(tx, after)}),
        audit AS (${auditEntries(tx, creationOf(events, 'written'))})`;
      return writeRecord(tx, 'events', selection, steps);
    };
    const also = isBroken('foreign_key');
    const isDoneNow = fields.done === true && !fields.done_at;
    const written = isDoneNow
      ? await inTransaction(ctx, async (tx) => write(await fixMoment(tx)), also)
      : await retryConflicts(() => write(ctx), also);
    if (!written) throw notFound();
    return written;
  };
}

/** Who writes an event; the service's operator is nobody of the account. */
export const authorOf = ({ viewer: { userId } }: UnitOfWork): number | null => userId || null;

/** Reports a contact or a deal that is not the owner, which the path names. */
export const refuseOthers = (
  fields: EventFields,
  { contact_id, deal_id }: Owner,
  faults: Faults,
): void => refuseMoves(fields, { contact_id, deal_id }, faults, 'is not that of the path');

/** All fields of an event that is created. */
export const newEvent = (fields: EventFields, now: Date): Values<typeof events.fields> =>
  withDefaults(events, fields, { done_at: nextDoneAt(null, fields, now) });

const current = currentOf<typeof events.fields, Owner>(events);
const overwrite = overwriting(events);

/**
 * Updates the fields sent of a note or an activity. Events that the service wrote record what
 * happened and cannot be changed.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, another contact or deal, or an
 *   event of the service
 */
export const updateEvent: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'event.update');
  const eventId = readId(id);
  return retryConflicts(async () => {
    const before = await current(ctx, eventId);
    if (!before) throw notFound();
    requireExpected(ctx, before.version);
    const changes = mergedInto(
      ctx,
      events,
      before,
      changesOf({ ...ctx, now: before.moment }, before, input),
    );
    const at = sql`${before.moment}::timestamptz`;
    return overwrite(ctx, before, { ...before, ...changes }, selection, { at });
  });
};

/**
 * The fields of an event that a change writes.
 * @throws {Fault} VALIDATION_FAILED as {@link updateEvent} does
 */
export function changesOf(
  ctx: UnitOfWork,
  {
    kind,
    contact_id,
    deal_id,
    done_at,
  }: Owner & Pick<Values<typeof events.fields>, 'kind' | 'done_at'>,
  input: Input,
): Partial<Values<typeof events.fields>> {
  if (!kinds.includes(kind)) {
    throw invalid(
      'kind',
      coded('read_only', 'is one that the service writes itself, and cannot be changed'),
    );
  }
  const faults = faultsOf(ctx);
  const fields = readFields(input, events.fields, faults);
  refuseMoves(fields, { contact_id, deal_id }, faults);
  faults.throwIfAny();
  const { done: _, contact_id: __, deal_id: ___, ...values } = fields;
  return { ...values, done_at: nextDoneAt(done_at, fields, ctx.now) };
}

/** Removes an event; the audit trail keeps it. */
export const deleteEvent = deleting(events);
