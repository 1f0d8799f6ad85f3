import { useEffect, useRef, useState } from 'preact/hooks';
import {
  BoardDocument,
  type BoardQuery,
  LiveBoardDocument,
  MoveDealDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { useLatest, useLive } from '../../api/use_live.ts';
import type { Loading } from '../../api/use_load.ts';
import { attempt } from '../../components/toast.tsx';
import { type Column, type Move, withMove } from './move.ts';

interface Board {
  readonly answer: Loading<BoardQuery>;
  /** Whether others' changes may be missing. */
  readonly isLost: boolean;
  /** As they will be once the service has done what it was asked. */
  readonly columns: readonly Column[];
  /** Moves a deal on the page at once, and back when the service refuses; says whether it took it. */
  readonly move: (move: Move) => Promise<boolean>;
}

/**
 * The board of a pipeline, with the deals that match.
 * @param isHeld whether it keeps still: somebody has a deal in hand
 */
export function useBoard(
  pipelineId: number,
  query: Record<string, unknown>,
  isHeld: boolean,
): Board {
  const given = { pipeline_id: pipelineId, query };
  const answer = useAnswer(BoardDocument, given);
  const live = useLive(LiveBoardDocument, given);
  const latest = useLatest(answer.data, live.data);
  const shown = useRef(latest);
  if (!isHeld) shown.current = latest;
  const [asked, setAsked] = useState<readonly Move[]>([]);
  const saved = useRef(new Set<Move>());
  // One after the other, because each counts positions as those before it leave them.
  const last = useRef(Promise.resolve());
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that came has what was saved
  useEffect(() => {
    setAsked((moves) => moves.filter((move) => !saved.current.has(move)));
    saved.current.clear();
  }, [answer.data]);
  const save = async (move: Move): Promise<boolean> => {
    const { dealId: id, ...place } = move;
    const input = { stage_id: place.stageId, position: place.position };
    const isTaken = await attempt(() => ask(MoveDealDocument, { id, input }));
    if (isTaken) saved.current.add(move);
    else setAsked((moves) => moves.filter((other) => other !== move));
    void answer.reload();
    return isTaken;
  };
  const move = (next: Move): Promise<boolean> => {
    setAsked((moves) => [...moves, next]);
    const turn = last.current.then(() => save(next));
    last.current = turn.then(() => {});
    return turn;
  };
  const data = shown.current;
  const columns = asked.reduce(withMove, data?.pipeline_board.stages ?? []);
  return { answer: { ...answer, data }, isLost: live.isLost, columns, move };
}
