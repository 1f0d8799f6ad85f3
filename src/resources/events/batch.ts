import { faultsOf } from '../../context.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates } from '../kernel/batch/verb.ts';
import { blank } from '../kernel/fields.ts';
import { readNew } from '../kernel/input.ts';
import type { Create } from '../kernel/write.ts';
import { events } from './record.ts';
import { createContactEvent, createDealEvent, deleteEvent, updateEvent } from './verbs.ts';

/**
 * Creates an event of the deal that its fields name, else of their contact: no path names either.
 * @throws {Fault} as where a path does; VALIDATION_FAILED on `contact_id` when they name neither
 */
const createEvent: Create = async (ctx, account, input, selection) => {
  const { deal_id, contact_id } = input;
  if (isNamed(deal_id)) return createDealEvent(ctx, account, deal_id, input, selection);
  if (isNamed(contact_id)) return createContactEvent(ctx, account, contact_id, input, selection);
  const faults = faultsOf(ctx);
  readNew(input, events.fields, faults);
  faults.add('contact_id', blank);
  throw faults.fault();
};

const isNamed = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

export const batchEvents = batching(events, {
  create: { action: 'event.create', one: creates(createEvent) },
  update: { action: 'event.update', one: updates(updateEvent) },
  delete: { action: 'event.delete', one: deletes(deleteEvent) },
});
