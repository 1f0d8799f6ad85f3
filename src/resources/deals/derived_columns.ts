/** What follows of a deal from its own moments, and from its activities. */
import type { DerivedColumn } from '../../db/sql/shape.ts';

/**
 * The activities of a deal. Its place in `events_activities_idx` is looked up for each deal that a search must decide
 * about: some two microseconds each, and so 0.1 s for 50,000 of them, in one look-up after the other.
 */
const activities = `FROM events AS activity
  WHERE activity.account_id = $account AND activity.deal_id = $row.id AND activity.kind = 'activity'`;

export const derived = {
  // When it was won or lost, whichever is set; when it was won if both are.
  closed_at: { kind: 'timestamp', value: 'coalesce($row.won_at, $row.lost_at)', from: [] },
  last_activity_at: {
    kind: 'timestamp',
    value: `(SELECT max(activity.done_at) ${activities})`,
    from: ['events'],
  },
  next_step_at: {
    kind: 'timestamp',
    value: `(SELECT min(activity.scheduled_at) ${activities} AND activity.done_at IS NULL)`,
    from: ['events'],
  },
  // What is to be done may have no time yet.
  has_next_step: {
    kind: 'boolean',
    value: `CASE WHEN $row.id IS NOT NULL THEN EXISTS (SELECT ${activities} AND activity.done_at IS NULL) END`,
    from: ['events'],
  },
} as const satisfies Readonly<Record<string, DerivedColumn>>;
