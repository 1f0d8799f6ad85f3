import { useEffect } from 'preact/hooks';
import { BoardPlansDocument, type BoardPlansQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import type { NextActivity } from '../../records/activities/dot.tsx';
import { activityChanges, isPlanned } from '../../records/activities/plan.ts';

/** What of an open deal follows from its events. */
export interface Plan {
  readonly next: readonly NextActivity[];
  /** Since when it has been in its stage, ISO 8601; undefined where no event says so. */
  readonly since: string | undefined;
  /** When the last activity was done; undefined where none was. */
  readonly lastActivity: string | undefined;
}

/** Undefined while nobody knows. */
export type Plans = ((dealId: number) => Plan) | undefined;

/**
 * Asks for the earliest activity of each open deal in a pipeline, when it came to its stage, and when something
 * was last done, all at once.
 * @param board is asked for again when it has become another
 */
export function usePlans(pipelineId: number, board: unknown): Plans {
  const open = { deal_pipeline_id_eq: pipelineId, deal_status_eq: 'open' };
  const { data, reload } = useAnswer(BoardPlansDocument, {
    query: { ...isPlanned, ...open },
    moves: { kind_in: ['deal_opened', 'deal_stage_change'], ...open },
    activities: { kind_eq: 'activity', done_at_present: true, ...open },
  });
  const changes = activityChanges.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what it depends on
  useEffect(() => void reload(), [board, changes, reload]);
  if (!data) return undefined;
  const next = new Map(
    data.summary.map(({ keys: [key], smallest }) => [
      Number(key?.value),
      { title: '', scheduled_at: typeof smallest === 'string' ? smallest : null },
    ]),
  );
  const [since, lastActivity] = [latestOf(data.moves), latestOf(data.activities)];
  return (dealId) => {
    const first = next.get(dealId);
    return {
      next: first ? [first] : [],
      since: since.get(dealId),
      lastActivity: lastActivity.get(dealId),
    };
  };
}

/** The latest moment of each deal. */
const latestOf = (groups: BoardPlansQuery['moves']): ReadonlyMap<number, string> =>
  new Map(
    groups.flatMap(({ keys: [key], largest }) =>
      typeof largest === 'string' ? [[Number(key?.value), largest] as const] : [],
    ),
  );
