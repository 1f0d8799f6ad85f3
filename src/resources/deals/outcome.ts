import type { DealSent, Status } from './record.ts';

/** A deal's status and the fields that go with it; moments as ISO 8601 in UTC. */
interface Outcome {
  readonly status: Status;
  readonly lost_reason: string;
  readonly lost_at: string | null;
  readonly won_at: string | null;
}

/** Whether a new deal is closed, and when is left to the service. */
export const closesNow = ({ status, won_at, lost_at }: DealSent): boolean =>
  (status === 'won' && !won_at) || (status === 'lost' && !lost_at);

/**
 * The outcome after a write. A change of status sets and clears the fields that go with it; without
 * one they are stored as sent. Any status may follow any other.
 * @param before undefined for a new deal
 */
export function nextOutcome(before: Outcome | undefined, sent: DealSent, now: Date): Outcome {
  const status = sent.status ?? before?.status ?? 'open';
  const reason = sent.lost_reason ?? before?.lost_reason ?? '';
  if (before?.status === status) {
    return {
      status,
      lost_reason: reason,
      lost_at: sent.lost_at === undefined ? before.lost_at : sent.lost_at,
      won_at: sent.won_at === undefined ? before.won_at : sent.won_at,
    };
  }
  const moment = now.toISOString();
  switch (status) {
    case 'won':
      return { status, lost_reason: '', lost_at: null, won_at: sent.won_at ?? moment };
    case 'lost':
      return { status, lost_reason: reason, lost_at: sent.lost_at ?? moment, won_at: null };
    case 'open':
      return { status, lost_reason: '', lost_at: null, won_at: null };
  }
}
