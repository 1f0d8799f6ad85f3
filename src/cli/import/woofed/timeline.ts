/** Importing notes and activities, which are found only with their contacts. */
import { asId } from '../../../lib/integer.ts';
import { events } from '../../../resources/events/record.ts';
import { attributeValuesOf } from '../../../resources/kernel/fields/attribute_values.ts';
import { eventBody } from './bodies.ts';
import { bringPortion, findingIn, portion, standIn } from './portions.ts';
import { create, detailed, type Run, slices } from './run.ts';
import { type Foreign, foreigners } from './source.ts';

/** What importing events needs besides. */
export interface Timeline {
  /** The contact of the source after which to go on: 0 begins with the first. */
  readonly after: number;
  /** To be called with how far it has come. */
  readonly done: (contact: number) => Promise<void>;
  /** To be called with what cannot be imported. */
  readonly leave: (kind: string) => void;
}

/**
 * Kinds that a client may write; events that the system noted itself show in what they did to the
 * records.
 */
const written = new Set<unknown>(['note', 'activity']);

/**
 * Imports the notes and activities of all contacts that were imported, in the order of the source's
 * ids; those that the account has already are left out.
 */
export async function bringEvents(run: Run, { after, done, leave }: Timeline): Promise<void> {
  const { source, known } = run;
  const contacts = [...known.contacts.ids.keys()].filter((id) => id > after).sort((a, b) => a - b);
  for (const ids of slices(contacts, portion)) {
    const contactEvents: Foreign[] = [];
    for (const { id, events: own } of await detailed(source, 'contacts', ids)) {
      for (const event of foreigners(own)) {
        if (written.has(event.kind)) contactEvents.push({ ...event, contact_id: id });
        else leave(String(event.kind));
        if (Array.isArray(event.files) && event.files.length > 0) leave('files');
      }
    }
    for (const records of slices(contactEvents, portion)) await bringSome(run, records);
    await done(ids.at(-1) ?? after);
  }
}

async function bringSome(run: Run, records: readonly Foreign[]): Promise<void> {
  const { known, key } = run;
  const contacts = records.flatMap(
    (event) => known.contacts.ids.get(Number(event.contact_id)) || [],
  );
  await bringPortion(run, {
    kind: 'events',
    records,
    known: async (ctx) => {
      const here = await attributeValuesOf(ctx, events, key, 'contact_id', contacts);
      const ids = new Set(here.map(({ value }) => asId(value)));
      return (id) => ids.has(id);
    },
    write: async (ctx, fresh) => {
      const contact = findingIn(known.contacts.ids, await standIn(run, ctx, 'contacts'));
      return create(ctx, 'events', fresh.map(bodyOf(run, contact)));
    },
  });
}

/** An event of a deal that did not come is its contact's. */
const bodyOf =
  ({ known, key }: Run, contact: (there: unknown) => number | undefined) =>
  (event: Foreign) => {
    const deal = known.deals.ids.get(asId(event.deal_id) ?? 0);
    const owner = deal ? { deal_id: deal } : { contact_id: contact(event.contact_id) };
    return { ...eventBody(event, key), ...owner };
  };
