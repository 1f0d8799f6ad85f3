import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Answer } from '../../components/answer.tsx';
import { LiveSign } from '../../components/live_sign.tsx';
import { tell } from '../../components/toast.tsx';
import { type DealFilter, dealQuery } from '../../records/deal_query.ts';
import { FirstStep } from '../../records/first_step.tsx';
import { words } from '../../words/words.ts';
import { BoardColumn } from './column.tsx';
import { watchDrops } from './drag.ts';
import { find, type Move } from './move.ts';
import { MoveDialog } from './move_dialog.tsx';
import { NoStages } from './no_stages.tsx';
import { useBoard } from './use_board.ts';
import { useGradual } from './use_gradual.ts';
import { useKeyboard } from './use_keyboard.ts';
import { usePlans } from './use_plans.ts';

/** The stages side by side. */
export function Columns({
  pipeline,
  filter,
  create,
  createIn,
}: {
  readonly pipeline: number;
  readonly filter: DealFilter;
  /** Creates a first deal. */
  readonly create: ComponentChildren;
  /** Creates a deal in a stage. */
  readonly createIn: (stageId: number) => void;
}) {
  const { board: texts, deals, records } = words.value;
  const [isHeld, setHeld] = useState(false);
  const board = useBoard(pipeline, dealQuery(filter), isHeld);
  const [tapped, setTapped] = useState<number>();
  const plans = usePlans(pipeline, board.answer.data);
  const drop = async (to: Move, from: Move) => {
    const found = find(board.columns, to.dealId);
    const stage = board.columns.find((column) => column.stage.id === to.stageId)?.stage;
    if (!(await board.move(to)) || !found || !stage) return;
    const undo = async () => void (await board.move(from));
    tell(texts.moved(found.deal.name || records.untitled, stage.name), undo);
  };
  const { columns, grabbedId, said, onKey } = useKeyboard(board.columns, drop);
  const latest = useRef({ columns, drop });
  latest.current = { columns, drop };
  const [isDragging, setDragging] = useState(false);
  useEffect(
    () =>
      watchDrops(
        () => latest.current.columns,
        (to, from) => void latest.current.drop(to, from),
        setDragging,
      ),
    [],
  );
  useEffect(() => setHeld(isDragging || grabbedId !== undefined), [isDragging, grabbedId]);
  const drawn = useGradual(
    columns.map(({ stage }) => stage.id).join(),
    columns.length,
    Math.max(0, ...columns.map(({ deals }) => deals.length)),
  );
  const isEmpty =
    filter.text === '' && filter.owner === '' && columns.every(({ count }) => count === 0);
  return (
    <Answer of={board.answer}>
      {() => {
        if (columns.length === 0) return <NoStages title={texts.noStages} />;
        if (isEmpty) return <FirstStep title={texts.none} why={deals.whyNone} create={create} />;
        return (
          <>
            <p id="board-keys" class="unseen">
              {texts.keys}
            </p>
            <p class="unseen" aria-live="assertive">
              {said}
            </p>
            <LiveSign isLost={board.isLost} />
            <div class="board" data-place="board" aria-busy={board.answer.isLoading}>
              {columns.map((column) => (
                <BoardColumn
                  key={column.stage.id}
                  column={column}
                  drawn={drawn}
                  grabbedId={grabbedId}
                  plans={plans}
                  onTap={setTapped}
                  onKey={onKey}
                  create={createIn}
                  moreHref={`/deals?${new URLSearchParams({ ...filter, stage: String(column.stage.id) })}`}
                />
              ))}
            </div>
            {tapped !== undefined && (
              <MoveDialog
                dealId={tapped}
                columns={columns}
                drop={(to, from) => void drop(to, from)}
                onClose={() => setTapped(undefined)}
              />
            )}
          </>
        );
      }}
    </Answer>
  );
}
