import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { words } from '../../words/words.ts';
import { type Column, find, type Move, moveTo, placeOf } from './move.ts';

/** Offers the other stages to a deal whose handle was tapped: to carry it there takes a mouse or a long finger. */
export function MoveDialog({
  dealId,
  columns,
  drop,
  onClose,
}: {
  readonly dealId: number;
  readonly columns: readonly Column[];
  readonly drop: (to: Move, from: Move) => void;
  readonly onClose: () => void;
}) {
  const { board, records } = words.value;
  const found = find(columns, dealId);
  if (!found) return null;
  const others = columns.filter((column) => column !== found.column);
  return (
    <Dialog title={board.moveTo(found.deal.name || records.untitled)} onClose={onClose}>
      <div class="choices">
        {others.map((column) => (
          <Button
            key={column.stage.id}
            onClick={() => {
              onClose();
              drop(moveTo(found.deal, column, column.deals.length), placeOf(found));
            }}
          >
            {column.stage.name}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
