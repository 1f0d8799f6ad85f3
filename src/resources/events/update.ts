import { authorize, readId } from '../../auth/policy.ts';
import { retrying } from '../../db/retrying.ts';
import { Faults, notFound } from '../../errors.ts';
import { readFields } from '../kernel/fields.ts';
import { currentOf, overwriting } from '../kernel/overwrite.ts';
import type { Update } from '../kernel/write.ts';
import { events, kinds, nextDoneAt } from './record.ts';

const current = currentOf(events);
const overwrite = overwriting(events);

/**
 * Changes the fields sent of a note or an activity. What the service wrote itself tells what
 * happened, and stays as it is.
 * @throws {Fault} NOT_FOUND; VALIDATION_FAILED for an invalid field, or an event of the service
 */
export const updateEvent: Update = async (ctx, account, id, input, selection) => {
  authorize(ctx.viewer, account, 'event.update');
  const eventId = readId(id);
  return retrying(async () => {
    const before = await current(ctx, eventId);
    if (!before) throw notFound();
    const faults = new Faults();
    if (!isClients(before.kind)) {
      faults.add('kind', 'is one that the service writes itself, and cannot be changed');
      faults.throwIfAny();
    }
    const sent = readFields(input, events.fields, faults);
    faults.throwIfAny();
    const { done: _, ...values } = sent;
    const done_at = nextDoneAt(before.done_at, sent, ctx.now);
    return overwrite(ctx, before, { ...before, ...values, done_at }, selection);
  });
};

const isClients = (kind: string): boolean => kinds.some((known) => known === kind);
