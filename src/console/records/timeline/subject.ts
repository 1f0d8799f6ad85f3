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
import { isPlanned } from '../activities/plan.ts';

export interface Subject {
  readonly kind: 'contact' | 'deal';
  readonly id: number;
}

type EventPage = ContactTimelineQuery['events'];
export type Happening = EventPage['data'][number];

interface History extends EventPage {
  /** What is to be done, the earliest first. */
  readonly planned: readonly Happening[];
}

/**
 * A page of what happened, newest first, and what is planned; of a contact also what happened with its deals, and
 * what is planned with them.
 */
export async function readTimeline({ kind, id }: Subject, page: number): Promise<History> {
  const planned = { ...isPlanned, [`${kind}_id_eq`]: id, s: ['scheduled_at', 'id'] };
  const query = { deal_id_eq: id, s: ['created_at desc', 'id desc'] };
  const found =
    kind === 'contact'
      ? await ask(ContactTimelineDocument, { id, planned, page })
      : await ask(DealTimelineDocument, { query, planned, page });
  const { data } = found.planned;
  // What is planned is not told a second time further down.
  const isAbove = new Set(data.map((event) => event.id));
  const happened = found.events.data.filter((event) => !isAbove.has(event.id));
  return { ...found.events, data: happened, planned: data };
}

export async function writeEvent({ kind, id }: Subject, input: EventInput): Promise<void> {
  if (kind === 'contact') await ask(CreateContactEventDocument, { id, input });
  else await ask(CreateDealEventDocument, { id, input });
}
