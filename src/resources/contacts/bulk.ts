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
import { type ContactFields, contacts, readContact } from './record.ts';
import { betterOf, matchContact } from './upsert.ts';
import { reportHolders } from './write.ts';

interface ContactUpsert extends ContactLookup {
  readonly fields: ContactFields;
  readonly faults: Faults;
}

/** A contact to change, or without an id to create. */
interface Write {
  readonly id: number | undefined;
  readonly fields: ContactFields;
}

const insert = insertingMany(contacts);

/** @returns the ids of the new contacts, in their order */
export const insertContacts = (
  ctx: UnitOfWork,
  records: readonly ContactFields[],
): Promise<readonly number[]> =>
  insert(
    ctx,
    records.map((one) => withDefaults(contacts, one)),
  );

/** Creates contacts, as `createContact` does one. */
export const createContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(unnamed(ctx)), false, ({ fields, identity, faults }, matches) => {
    const holders = matches.holders(identity);
    reportHolders(holders, identity, faults);
    return {
      ...faultsOr(faults, { id: undefined, fields }),
      touches: touchesOf(identity, holders),
    };
  });

/** Updates contacts or creates them, as `upsertContact` does. */
export const upsertContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(upserted(ctx)), true, ({ fields, identity, faults }, matches) => {
    const holders = matches.holders(identity);
    const match = matchContact(holders, identity, faults);
    const alias = match ? undefined : matches.aliased(identity);
    const { email: _, phone: __, ...others } = fields;
    const write = alias
      ? { id: alias.id, fields: others }
      : { id: match?.id, fields: match ? betterOf(fields, match) : fields };
    const touches = touchesOf(identity, alias ? [alias, ...holders] : holders);
    return { ...faultsOr(faults, write), touches };
  });

/** Updates contacts by their ids, as `updateContact` does. */
export const updateContacts: BulkUseCase = (ctx, items) =>
  together(ctx, items.map(named(ctx)), true, ({ id, fields, identity, faults }, matches) => {
    const contact = id === undefined ? undefined : matches.named(id);
    if (!contact) return notFoundPlan;
    const holders = matches.holders(identity);
    reportHolders(holders, identity, faults, id);
    const touches = touchesOf(identity, [contact, ...holders]);
    return { ...faultsOr(faults, { id, fields }), touches };
  });

type Plan = (contact: ContactUpsert, matches: ContactMatches) => RecordPlan<Write>;

function together(
  ctx: UnitOfWork,
  upserts: readonly ContactUpsert[],
  locking: boolean,
  plan: Plan,
): Promise<readonly Outcome[]> {
  return inConflictFreeRounds(upserts, {
    look: (part) => lookUpContacts(ctx, part, locking),
    plan: (contact, matches) => {
      // The next look may find that what is taken now is not any more.
      const faults = new Faults();
      faults.addAll(contact.faults, '');
      return plan({ ...contact, faults }, matches);
    },
    write: (wave) => writeWave(ctx, wave),
  });
}

const unnamed =
  ({ viewer }: UnitOfWork) =>
  ({ record, misplaced }: Item): ContactUpsert => {
    const faults = faultsOf({ misplaced });
    const fields = readContact(viewer, record, faults);
    return { fields, identity: identityOf(fields), faults };
  };

const upserted = (ctx: UnitOfWork) => {
  const readItem = unnamed(ctx);
  return (item: Item): ContactUpsert => {
    const one = readItem(item);
    return { ...one, identity: identityIn(ctx.viewer, item.record, one.fields) };
  };
};

const named = (ctx: UnitOfWork) => {
  const readItem = unnamed(ctx);
  return (item: Item): ContactUpsert => ({ ...readItem(item), id: asId(item.record.id) });
};

async function writeWave(ctx: UnitOfWork, wave: readonly Write[]): Promise<readonly Outcome[]> {
  const changes = wave.flatMap(({ id, fields }) => (id === undefined ? [] : [{ id, fields }]));
  const creations = wave.filter(({ id }) => id === undefined);
  await changeMany(ctx, contacts, changes);
  const created = await insertContacts(
    ctx,
    creations.map(({ fields }) => fields),
  );
  const ids = created.values();
  return wave.map(({ id }): Outcome => {
    return id === undefined ? { status: 201, id: ids.next().value ?? 0 } : updated({ id });
  });
}
