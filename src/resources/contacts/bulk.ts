/** Contacts of a batch, written together by the rules of single ones. */
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { Faults } from '../../errors/errors.ts';
import { asId } from '../../lib/integer.ts';
import { changeMany } from '../kernel/batch/change.ts';
import { insertingMany } from '../kernel/batch/insert.ts';
import { faultsOr, notFoundPlan, updated } from '../kernel/batch/plain.ts';
import type { BulkUseCase, Item, Outcome } from '../kernel/batch/verb.ts';
import { inConflictFreeRounds, type RecordPlan } from '../kernel/batch/waves.ts';
import { withDefaults } from '../kernel/resource.ts';
import { identityIn, identityOf } from './identity.ts';
import { type ContactLookup, type ContactMatches, lookUpContacts, touchesOf } from './lookup.ts';
import { type ContactSent, contacts, readContact } from './record.ts';
import { betterOf, matchContact } from './upsert.ts';
import { reportHolders } from './write.ts';

interface ContactUpsert extends ContactLookup {
  readonly sent: ContactSent;
  readonly faults: Faults;
}

/** A contact to change, or without an id to create. */
interface Write {
  readonly id: number | undefined;
  readonly sent: ContactSent;
}

const insert = insertingMany(contacts);

/** @returns the ids of the new contacts, in their order */
export const insertContacts = (
  ctx: UnitOfWork,
  sent: readonly ContactSent[],
): Promise<readonly number[]> =>
  insert(
    ctx,
    sent.map((one) => withDefaults(contacts, one)),
  );

/** Creates contacts, as `createContact` does one. */
export const createContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(unnamed(ctx)), false, ({ sent, identity, faults }, found) => {
    const holders = found.holders(identity);
    reportHolders(holders, identity, faults);
    return { ...faultsOr(faults, { id: undefined, sent }), touches: touchesOf(identity, holders) };
  });

/** Updates contacts or creates them, as `upsertContact` does. */
export const upsertContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(upserted(ctx)), true, ({ sent, identity, faults }, found) => {
    const holders = found.holders(identity);
    const match = matchContact(holders, identity, faults);
    const left = match ? undefined : found.aliased(identity);
    const { email: _, phone: __, ...others } = sent;
    const write = left
      ? { id: left.id, sent: others }
      : { id: match?.id, sent: match ? betterOf(sent, match) : sent };
    const touches = touchesOf(identity, left ? [left, ...holders] : holders);
    return { ...faultsOr(faults, write), touches };
  });

/** Updates contacts by their ids, as `updateContact` does. */
export const updateContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(named(ctx)), true, ({ id, sent, identity, faults }, found) => {
    const contact = id === undefined ? undefined : found.named(id);
    if (!contact) return notFoundPlan;
    const holders = found.holders(identity);
    reportHolders(holders, identity, faults, id);
    const touches = touchesOf(identity, [contact, ...holders]);
    return { ...faultsOr(faults, { id, sent }), touches };
  });

type Plan = (read: ContactUpsert, found: ContactMatches) => RecordPlan<Write>;

function together(
  ctx: UnitOfWork,
  read: readonly ContactUpsert[],
  locking: boolean,
  plan: Plan,
): Promise<readonly Outcome[]> {
  return inConflictFreeRounds(read, {
    look: (wanted) => lookUpContacts(ctx, wanted, locking),
    plan: (one, found) => {
      // The next look may find that what is taken now is not any more.
      const faults = new Faults();
      faults.addAll(one.faults, '');
      return plan({ ...one, faults }, found);
    },
    write: (wave) => writeWave(ctx, wave),
  });
}

const unnamed =
  ({ viewer }: UnitOfWork) =>
  ({ record, misplaced }: Item): ContactUpsert => {
    const faults = faultsOf({ misplaced });
    const sent = readContact(viewer, record, faults);
    return { sent, identity: identityOf(sent), faults };
  };

const upserted = (ctx: UnitOfWork) => {
  const read = unnamed(ctx);
  return (item: Item): ContactUpsert => {
    const one = read(item);
    return { ...one, identity: identityIn(ctx.viewer, item.record, one.sent) };
  };
};

const named = (ctx: UnitOfWork) => {
  const read = unnamed(ctx);
  return (item: Item): ContactUpsert => ({ ...read(item), id: asId(item.record.id) });
};

async function writeWave(ctx: UnitOfWork, wave: readonly Write[]): Promise<readonly Outcome[]> {
  const changes = wave.flatMap(({ id, sent }) => (id === undefined ? [] : [{ id, sent }]));
  const news = wave.filter(({ id }) => id === undefined);
  await changeMany(ctx, contacts, changes);
  const created = await insertContacts(
    ctx,
    news.map(({ sent }) => sent),
  );
  const ids = created.values();
  return wave.map(({ id }): Outcome => {
    return id === undefined ? { status: 201, id: ids.next().value ?? 0 } : updated({ id });
  });
}
