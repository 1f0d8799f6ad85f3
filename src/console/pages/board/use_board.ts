import { useEffect, useRef, useState } from 'preact/hooks';
import { BoardDocument, type BoardQuery, MoveDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import type { Loading } from '../../api/use_load.ts';
import { attempt } from '../../components/toast.tsx';
import { type Column, type Move, moved } from './move.ts';

interface Board {
  readonly answer: Loading<BoardQuery>;
  /** As they will be once the service has done what it was asked. */
  readonly columns: readonly Column[];
  /** Moves a deal on the page at once, and back when the service refuses; says whether it took it. */
  readonly move: (move: Move) => Promise<boolean>;
}

/** The board of a pipeline, with the deals that match. */
export function useBoard(pipelineId: number, query: Record<string, unknown>): Board {
  const answer = useAnswer(BoardDocument, { pipeline_id: pipelineId, query });
  const [asked, setAsked] = useState<readonly Move[]>([]);
  const saved = useRef(new Set<Move>());
  // One after the other, because each counts positions as those before it leave them.
  const last = useRef(Promise.resolve());
  const { data } = answer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that came has what was saved
  useEffect(() => {
    setAsked((moves) => moves.filter((move) => !saved.current.has(move)));
    saved.current.clear();
  }, [data]);
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
  return { answer, columns: asked.reduce(moved, data?.pipeline_board.stages ?? []), move };
}
