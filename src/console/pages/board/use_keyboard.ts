import { useEffect, useState } from 'preact/hooks';
import { words } from '../../words/words.ts';
import { type Column, find, type Move, moveTo, placeOf, withMove } from './move.ts';

interface GrabbedCard {
  readonly from: Move;
  readonly to: Move;
}

interface Keyboard {
  /** The board as it would be if the deal that is held were dropped now. */
  readonly columns: readonly Column[];
  readonly grabbedId: number | undefined;
  /** What happened, for those who do not see it. */
  readonly said: string;
  readonly onKey: (event: KeyboardEvent, dealId: number) => void;
}

/**
 * Moves deals by keys: space takes one up and puts it down, arrows carry it, escape leaves it where it
 * was.
 * @param drop puts a deal down that came from elsewhere
 */
export function useKeyboard(
  shown: readonly Column[],
  drop: (to: Move, from: Move) => void,
): Keyboard {
  const { board } = words.value;
  const [grabbed, setGrabbed] = useState<GrabbedCard>();
  const [said, say] = useState('');
  const columns = grabbed ? withMove(shown, grabbed.to) : shown;
  const end = (sentence: string) => {
    setGrabbed(undefined);
    say(sentence);
  };
  useEffect(() => {
    if (!grabbed) return;
    const cancel = () => setGrabbed(undefined);
    addEventListener('pointerdown', cancel);
    return () => removeEventListener('pointerdown', cancel);
  }, [grabbed]);

  const grab = (dealId: number) => {
    const found = find(columns, dealId);
    if (!found) return;
    setGrabbed({ from: placeOf(found), to: placeOf(found) });
    say(board.grabbed(found.deal.name));
  };
  const carry = ({ from, to }: GrabbedCard, key: string) => {
    const next = neighbour(columns, to.dealId, key);
    if (!next) return;
    setGrabbed({ from, to: next });
    const there = find(withMove(columns, next), next.dealId);
    if (there)
      say(board.carried(there.column.stage.name, there.index + 1, there.column.deals.length));
  };
  const release = ({ from, to }: GrabbedCard) => {
    const isElsewhere = from.stageId !== to.stageId || from.position !== to.position;
    if (isElsewhere) drop(to, from);
    end(isElsewhere ? '' : board.left);
  };

  const onKey = (event: KeyboardEvent, dealId: number) => {
    const { key } = event;
    const isSwitch = key === ' ' || key === 'Enter';
    if (!grabbed && !isSwitch) return;
    event.preventDefault();
    if (!grabbed) grab(dealId);
    else if (isSwitch) release(grabbed);
    else if (key === 'Escape') end(board.left);
    else carry(grabbed, key);
  };
  return { columns, grabbedId: grabbed?.to.dealId, said, onKey };
}

/** One place further in the direction of an arrow key; undefined where there is none. */
function neighbour(columns: readonly Column[], dealId: number, key: string): Move | undefined {
  const found = find(columns, dealId);
  if (!found) return undefined;
  const { deal, column, index } = found;
  const beside = (by: number) => columns[columns.indexOf(column) + by];
  switch (key) {
    case 'ArrowUp':
      return index > 0 ? moveTo(deal, column, index - 1) : undefined;
    case 'ArrowDown':
      return index < column.deals.length - 1 ? moveTo(deal, column, index + 1) : undefined;
    case 'ArrowLeft':
    case 'ArrowRight': {
      const other = beside(key === 'ArrowLeft' ? -1 : 1);
      return other && moveTo(deal, other, Math.min(index, other.deals.length));
    }
    default:
      return undefined;
  }
}
