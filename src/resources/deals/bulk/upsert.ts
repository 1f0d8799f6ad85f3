/** Deals of a batch that are upserted together, with their contacts, by the rules of single ones. */

import { authorize } from '../../../auth/policy.ts';
import { faultsOf, type UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { sql } from '../../../db/sql/sql.ts';
import { mustExist } from '../../../errors/codes.ts';
import { Fault, Faults } from '../../../errors/errors.ts';
import { insertContacts } from '../../contacts/bulk.ts';
import { identityOf, type KnownContact } from '../../contacts/identity.ts';
import {
  type ContactMatches,
  lookUpContacts as lookForContacts,
  touchesOf,
} from '../../contacts/lookup.ts';
import type { ContactFields } from '../../contacts/record.ts';
import { matchContact } from '../../contacts/upsert.ts';
import { faultsOr, updated } from '../../kernel/batch/plain.ts';
import type { BulkUseCase, Item, Outcome } from '../../kernel/batch/verb.ts';
import { inConflictFreeRounds, type RecordPlan } from '../../kernel/batch/waves.ts';
import { readFields } from '../../kernel/fields/input.ts';
import { currentDeals } from '../current.ts';
import { planDealChange, planNewDeal } from '../plan.ts';
import { lockStages } from '../positions/place.ts';
import { type DealFields, type DealValues, deals } from '../record.ts';
import { lookUpReferences, type References } from '../references.ts';
import { type ContactAttributes, readContactAttributes } from '../upsert.ts';
import { insertDeals } from './create.ts';
import { dependsOn, type LockedDeals, lockDeals, mayMove, places } from './lock.ts';
import { changeDeals, type DealChange } from './write.ts';

/** What was read of a record. */
interface DealUpsert {
  /** Without its contact, whom `contactId` or `contact` names. */
  readonly fields: DealFields;
  readonly contactId: number | undefined;
  readonly contact: ContactAttributes | undefined;
  readonly faults: Faults;
}

/**
 * Updates first deals of contacts or creates them, as `upsertDeal` does one. Where some want a
 * place of their own, it is done one by one.
 */
export const upsertDeals: BulkUseCase = async (ctx, items) => {
  const upserts = items.map((item) => readItem(ctx, item));
  if (upserts.some((one) => !(one instanceof Fault) && one.fields.position)) return undefined;
  return inConflictFreeRounds(upserts, {
    look: (part) =>
      lookFor(
        ctx,
        part.flatMap((one) => (one instanceof Fault ? [] : one)),
      ),
    plan: (one, rows) =>
      one instanceof Fault ? { outcome: { fault: one }, touches: [] } : plan(ctx, one, rows),
    write: (writes, rows) => writeWave(ctx, writes, rows),
  });
};

/** @returns a refusal where the viewer may not do this */
function readItem(ctx: UnitOfWork, { record, misplaced }: Item): DealUpsert | Fault {
  const { contact_attributes } = record;
  if (contact_attributes !== undefined && contact_attributes !== null) {
    try {
      authorize(ctx.viewer, ctx.viewer.accountId, 'contact.create');
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  }
  const faults = faultsOf({ misplaced });
  const { contact_id: contactId, ...fields } = readFields(record, deals.fields, faults);
  return { fields, contactId, contact: readContactAttributes(ctx, record, faults), faults };
}

const nobody = identityOf({});

interface LockedRows extends References, LockedDeals {
  readonly people: ContactMatches;
  /** The first deal of each contact. */
  readonly first: ReadonlyMap<number, number>;
}

/** Locks the contacts first, then the stages, and then the deals. */
async function lookFor(ctx: UnitOfWork, upserts: readonly DealUpsert[]): Promise<LockedRows> {
  const named = upserts.map(({ contactId, contact }) => {
    return contact && contact.id === undefined
      ? { identity: contact.identity }
      : { id: contact ? contact.id : contactId, identity: nobody };
  });
  const people = await lookForContacts(ctx, named, true);
  const first = await firstDeals(ctx, people.ids);
  const records = upserts.map((each) => each.fields);
  const references = await lookUpReferences(ctx, records, false);
  const existing = upserts.map((each) => {
    const id = contactOf(each, people, new Faults())?.id;
    return { id: id && first.get(id), fields: each.fields };
  });
  const filled = existing.flatMap(({ id, fields: { stage_id } }) => (id ? [] : (stage_id ?? [])));
  return { ...references, ...(await lockDeals(ctx, existing, references, filled)), people, first };
}

async function firstDeals(
  { db, viewer: { accountId } }: UnitOfWork,
  contactIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.query<{ contact_id: number; id: number }>(
    sql`SELECT contact_id, min(id) AS id FROM deals
      WHERE account_id = ${accountId} AND contact_id = ANY(${contactIds}::bigint[]) GROUP BY contact_id`,
  );
  return new Map(rows.map(({ contact_id, id }) => [contact_id, id]));
}

/** The contact that there is; reports one that is named and is not there, or that matches two. */
function contactOf(
  { contactId, contact }: DealUpsert,
  people: ContactMatches,
  faults: Faults,
): KnownContact | undefined {
  if (!contact) return contactId === undefined ? undefined : people.named(contactId);
  if (contact.id === undefined) {
    const { identity } = contact;
    const match = matchContact(people.holders(identity), identity, faults, 'contact_attributes.');
    return match ?? people.aliased(identity);
  }
  const named = people.named(contact.id);
  if (!named) faults.add('contact_attributes.id', mustExist);
  return named;
}

/** A deal to change, or one to create of a contact that is there or is created, too. */
type Write = DealChange | Creation;

interface Creation {
  readonly contact: number | ContactFields;
  readonly deal: DealValues;
}

function plan(ctx: UnitOfWork, upsert: DealUpsert, rows: LockedRows): RecordPlan<Write> {
  const { fields, contact: attributes } = upsert;
  const faults = new Faults();
  faults.addAll(upsert.faults, '');
  const contact = contactOf(upsert, rows.people, faults);
  const existing = contact && rows.first.get(contact.id);
  const holders = attributes ? rows.people.holders(attributes.identity) : [];
  const people = touchesOf(
    attributes?.identity ?? nobody,
    contact ? [contact, ...holders] : holders,
  );
  if (existing !== undefined) {
    const before = rows.before(existing, fields);
    if (!before) throw conflict();
    planDealChange(before, fields, ctx.now, faults);
    const { touches, shares } = dependsOn(before, fields);
    return { ...faultsOr(faults, { before, fields }), touches: [...people, ...touches], shares };
  }
  const owner = contact?.id ?? attributes?.fields;
  const references = {
    pipelineId: rows.stages.get(fields.stage_id ?? 0)?.pipeline_id ?? null,
    // A contact that is yet to be created will be there by then; what is wrong with one that cannot be is reported.
    hasContact: owner !== undefined,
  };
  const deal = planNewDeal(fields, contact?.id, references, ctx.now, faults);
  if (faults.any || owner === undefined) {
    return { outcome: { fault: faults.fault() }, touches: people };
  }
  return { write: { contact: owner, deal }, touches: people, shares: places };
}

/**
 * Writes deals that come and deals that move so that they stand as they would one after the other:
 * together as many as do not mix.
 */
async function writeWave(
  ctx: UnitOfWork,
  writes: readonly Write[],
  { orders }: LockedRows,
): Promise<readonly Outcome[]> {
  const unknown = writes.flatMap((write) => {
    return 'contact' in write && typeof write.contact === 'object' ? write.contact : [];
  });
  const people = (await insertContacts(ctx, unknown)).values();
  const ids: number[] = [];
  let [news, changes]: [DealValues[], DealChange[]] = [[], []];
  let stand = async () => ({ changes, orders });
  const writeSome = async () => {
    ids.push(...(await insertDeals(ctx, news)));
    const current = await stand();
    await changeDeals(ctx, current.changes, current.orders);
    [news, changes] = [[], []];
    stand = async () => ({
      changes: await readAgain(ctx, changes),
      orders: await lockStages(ctx, [...orders.keys()]),
    });
  };
  for (const write of writes) {
    if ('before' in write) {
      if (news.length > 0 && moves(write)) await writeSome();
      changes.push(write);
      continue;
    }
    if (changes.some(moves)) await writeSome();
    const { contact, deal } = write;
    const contact_id = typeof contact === 'number' ? contact : (people.next().value ?? 0);
    news.push({ ...deal, contact_id });
  }
  await writeSome();
  const created = ids.values();
  return writes.map((write): Outcome => {
    return 'before' in write
      ? updated(write.before)
      : { status: 201, id: created.next().value ?? 0 };
  });
}

const moves = ({ before, fields }: DealChange): boolean => mayMove(before, fields);

/** Changes with their deals as they stand now that others of the same transaction have moved. */
async function readAgain(ctx: UnitOfWork, changes: readonly DealChange[]): Promise<DealChange[]> {
  const ids = changes.map(({ before }) => before.id);
  const deals = await currentDeals(ctx, ids, true);
  return changes.map(({ before, fields }) => {
    return { before: { ...before, ...deals.get(before.id) }, fields };
  });
}
