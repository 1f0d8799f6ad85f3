import { deleting } from '../kernel/write.ts';
import { events } from './record.ts';

/** Removes an event; one that the service wrote lives on in the audit trail. */
export const deleteEvent = deleting(events);
