import { useMemo, useRef } from 'preact/hooks';
import { BoardPlansDocument, type BoardPlansQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { isSeen } from '../../api/watch.ts';
import { useChange } from '../../components/use_change.ts';
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
 * @param board when it has become another, they are asked for again
 */
export function usePlans(pipelineId: number, board: unknown): Plans {
  const open = { deal_pipeline_id_eq: pipelineId, deal_status_eq: 'open' };
  const { data, reload } = useAnswer(BoardPlansDocument, {
    query: { ...isPlanned, ...open },
    moves: { kind_in: ['deal_opened', 'deal_stage_change'], ...open },
    activities: { kind_eq: 'activity', done_at_present: true, ...open },
  });
  const again = () => void reload();
  useChange(activityChanges.value, again);
  useChange(isSeen.value, (before) => before || again());
  const drawn = useRef(pipelineId);
  const shown = useMemo(() => (board ? JSON.stringify(board) : ''), [board]);
  useChange(shown, (before) => {
    // The first board of a pipeline comes while they are asked for anyway.
    if (before !== '' && drawn.current === pipelineId) again();
    drawn.current = pipelineId;
  });
  return useMemo(() => data && plansIn(data), [data]);
}

function plansIn(data: BoardPlansQuery): Plans {
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
