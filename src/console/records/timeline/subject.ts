/** The record whose history a timeline shows. */
import {
  ContactTimelineDocument,
  type ContactTimelineQuery,
  CreateContactEventDocument,
  CreateDealEventDocument,
  DealTimelineDocument,
  type EventInput,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';

export interface Subject {
  readonly kind: 'contact' | 'deal';
  readonly id: number;
}

type EventPage = ContactTimelineQuery['events'];
export type Happening = EventPage['data'][number];

/** A page of what happened, newest first; of a contact also what happened with its deals. */
export async function readTimeline({ kind, id }: Subject, page: number): Promise<EventPage> {
  if (kind === 'contact') return (await ask(ContactTimelineDocument, { id, page })).events;
  const query = { deal_id_eq: id, s: ['created_at desc', 'id desc'] };
  return (await ask(DealTimelineDocument, { query, page })).events;
}

export async function writeEvent({ kind, id }: Subject, input: EventInput): Promise<void> {
  if (kind === 'contact') await ask(CreateContactEventDocument, { id, input });
  else await ask(CreateDealEventDocument, { id, input });
}
