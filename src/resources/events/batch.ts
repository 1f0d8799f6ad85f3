import { deletingMany } from '../kernel/batch/plain.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates } from '../kernel/batch/verb.ts';
import { createEvents, updateEvents } from './bulk.ts';
import { createEvent } from './owner.ts';
import { events } from './record.ts';
import { deleteEvent, updateEvent } from './verbs.ts';

export const batchEvents = batching(events, {
  create: { action: 'event.create', one: creates(createEvent), many: createEvents },
  update: { action: 'event.update', one: updates(updateEvent), many: updateEvents },
  delete: { action: 'event.delete', one: deletes(deleteEvent), many: deletingMany(events) },
});
