/** Which changes a webhook is sent, as they are chosen and shown. */
import { words } from '../../words/words.ts';

const written = ['create', 'update', 'delete'] as const;

/** What can happen to the kinds of records whose changes can be sent. */
export const verbsOf = {
  contact: written,
  deal: written,
  deal_product: written,
  deal_assignee: written,
  event: [...written, 'due'],
  product: written,
  pipeline: [...written, 'reorder'],
  stage: [...written, 'reorder'],
  user: written,
  account: ['update'],
} as const;

export type RecordType = keyof typeof verbsOf;
export type Verb = 'create' | 'update' | 'delete' | 'reorder' | 'due';

export const recordTypes = Object.keys(verbsOf) as readonly RecordType[];
export const verbs: readonly Verb[] = [...written, 'reorder', 'due'];

/** Whether a record can have something happen to it. */
export const isPossible = (type: RecordType, verb: Verb): boolean =>
  verbsOf[type].some((known) => known === verb);

/** Adds an event to others or takes it away; what it includes need not be named beside it. */
export function toggled(events: readonly string[], event: string): readonly string[] {
  if (events.includes(event)) return events.filter((other) => other !== event);
  if (event === '*') return ['*'];
  const [type, verb] = event.split('.');
  const kept = events.filter((other) => verb !== '*' || !other.startsWith(`${type}.`));
  return [...kept, event];
}

/** Events in words, a part for each kind of record. */
export function summaryOf(events: readonly string[]): string {
  const { webhooks, audit } = words.value;
  if (events.includes('*')) return webhooks.everything;
  const parts = recordTypes.flatMap((type) => {
    const own = events.filter((event) => event.startsWith(`${type}.`));
    if (own.length === 0) return [];
    if (own.includes(`${type}.*`)) return [audit.types[type]];
    const chosen = verbs.filter((verb) => own.includes(`${type}.${verb}`));
    return [`${audit.types[type]} (${chosen.map((verb) => webhooks.verbs[verb]).join(', ')})`];
  });
  return parts.join(', ');
}
