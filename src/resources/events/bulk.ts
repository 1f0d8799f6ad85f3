/** Events of a batch, written together by the rules of single ones. */
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { isoTimestamp } from '../../db/sql/timestamp.ts';
import { Fault } from '../../errors/errors.ts';
import { asId } from '../../lib/integer.ts';
import { changeMany } from '../kernel/batch/change.ts';
import { insertingMany } from '../kernel/batch/insert.ts';
import { idsIn, notFoundPlan, updated } from '../kernel/batch/plain.ts';
import type { BulkUseCase, Item } from '../kernel/batch/verb.ts';
import { inConflictFreeRounds } from '../kernel/batch/waves.ts';
import { readNew } from '../kernel/fields/input.ts';
import type { Values } from '../kernel/resource.ts';
import { ownerIn, unowned } from './owner.ts';
import { events } from './record.ts';
import { authorOf, changesOf, newEvent, type Owner, refuseOthers } from './verbs.ts';

const insert = insertingMany(events, ['contact_id', 'deal_id', 'created_by_id', 'from_me']);

/** Creates events, as `createEvent` does one. */
export const createEvents: BulkUseCase = (ctx, items) =>
  inConflictFreeRounds(items, {
    look: (part) => lookForOwners(ctx, part),
    plan: ({ record, misplaced }, owners) => {
      const named = ownerIn(record);
      if (!named) return { outcome: { fault: unowned(record, misplaced) }, touches: [] };
      const owner = owners.get(`${named.of} ${asId(named.id)}`);
      if (!owner) return notFoundPlan;
      const faults = faultsOf({ misplaced });
      const fields = readNew(record, events.fields, faults);
      refuseOthers(fields, owner, faults);
      if (faults.any) return { outcome: { fault: faults.fault() }, touches: [] };
      const origin = { created_by_id: authorOf(ctx), from_me: true };
      return { write: { ...newEvent(fields, ctx.now), ...owner, ...origin }, touches: [] };
    },
    write: async (records) => (await insert(ctx, records)).map((id) => ({ status: 201, id })),
  });

/** What events name, by its kind and id. */
async function lookForOwners(
  { db, viewer: { accountId } }: UnitOfWork,
  items: readonly Item[],
): Promise<ReadonlyMap<string, Owner>> {
  const named = items.map(({ record }) => ownerIn(record));
  const idsOf = (kind: 'deal' | 'contact') =>
    named.flatMap((owner) => (owner?.of === kind ? (asId(owner.id) ?? []) : []));
  // While a deal gets another contact, its events wait to learn which.
  const deals = await db.query<{ id: number; contact_id: number }>(
    sql`SELECT id, contact_id FROM deals WHERE account_id = ${accountId} AND id = ANY(${idsOf('deal')}::bigint[])
      ORDER BY id FOR KEY SHARE`,
  );
  const contacts = await db.query<{ id: number }>(
    sql`SELECT id FROM contacts WHERE account_id = ${accountId} AND id = ANY(${idsOf('contact')}::bigint[])`,
  );
  return new Map<string, Owner>([
    ...deals.map(({ id, contact_id }) => [`deal ${id}`, { contact_id, deal_id: id }] as const),
    ...contacts.map(({ id }) => [`contact ${id}`, { contact_id: id, deal_id: null }] as const),
  ]);
}

/** Changes notes and activities, as `updateEvent` does. */
export const updateEvents: BulkUseCase = (ctx, items) =>
  inConflictFreeRounds(items, {
    look: (part) => lockEvents(ctx, idsIn(part)),
    plan: ({ record, misplaced }, rows) => {
      const before = rows.get(asId(record.id) ?? 0);
      if (!before) return notFoundPlan;
      const { id } = before;
      const touches = [String(id)];
      try {
        return { write: { id, fields: changesOf({ ...ctx, misplaced }, before, record) }, touches };
      } catch (error) {
        if (error instanceof Fault) return { outcome: { fault: error }, touches };
        throw error;
      }
    },
    write: async (changes) => {
      await changeMany(ctx, events, changes);
      return changes.map(updated);
    },
  });

/** An event before a change. */
interface Before extends Owner, Pick<Values<typeof events.fields>, 'kind' | 'done_at'> {
  readonly id: number;
}

async function lockEvents(
  { db, viewer }: UnitOfWork,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Before>> {
  const rows = await db.query<Before>(
    sql`SELECT id, kind, contact_id, deal_id, done_at FROM events
      WHERE account_id = ${viewer.accountId} AND id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
  );
  return new Map(
    rows.map((row) => [row.id, { ...row, done_at: row.done_at && isoTimestamp(row.done_at) }]),
  );
}
