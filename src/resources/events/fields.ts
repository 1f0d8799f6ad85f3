/** An event's fields as clients send them. */
import {
  attributes,
  type Field,
  flag,
  longText,
  oneOf,
  type Sent,
  text,
  timestamp,
} from '../fields.ts';

/** Kinds that clients write; all others are the service's own. */
export const kinds = ['note', 'activity'] as const;

const kind: Field<(typeof kinds)[number]> = {
  ...oneOf(kinds),
  cleared: { message: "can't be blank" },
};

export const eventFields = {
  kind,
  title: text(),
  content: longText,
  scheduled_at: timestamp,
  done: flag,
  done_at: timestamp,
  auto_done: flag,
  custom_attributes: attributes,
  additional_attributes: attributes,
};

export type EventSent = Sent<typeof eventFields>;

/** What of an event a client decides. */
export interface EventValues {
  readonly kind: string;
  readonly title: string;
  readonly content: string;
  readonly scheduled_at: string | null;
  readonly done_at: string | null;
  readonly auto_done: boolean;
  /** JSON text. */
  readonly custom_attributes: string;
  /** JSON text. */
  readonly additional_attributes: string;
}

export const blankEvent: Omit<EventValues, 'kind'> = {
  title: '',
  content: '',
  scheduled_at: null,
  done_at: null,
  auto_done: false,
  custom_attributes: '{}',
  additional_attributes: '{}',
};

/**
 * When an event was done, after a write. `done` decides whether it is; `done_at` tells when, and
 * without `done` decides alone, so that a fetched event can be sent back with either changed.
 * @param before when it was done until now
 */
export function nextDoneAt(before: string | null, sent: EventSent, now: Date): string | null {
  const asked = sent.done_at === undefined ? before : sent.done_at;
  if (sent.done === undefined) return asked;
  return sent.done ? (asked ?? before ?? now.toISOString()) : null;
}
