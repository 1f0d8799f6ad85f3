/** Moves deals by the pointer. What is shown on the way is set on the elements, not rendered. */
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type Column, find, type Move, moveTo, placeOf } from './move.ts';

/** Lets a card be dragged, and others be dropped above or below it. */
export const dragCard = (element: HTMLElement, dealId: number): (() => void) => {
  const show = (edge?: string) => {
    if (edge) element.dataset.edge = edge;
    else delete element.dataset.edge;
  };
  const edgeAt = (y: number) => {
    const { top, height } = element.getBoundingClientRect();
    return y < top + height / 2 ? 'above' : 'below';
  };
  return combine(
    draggable({
      element,
      getInitialData: () => ({ dealId }),
      onDragStart: () => {
        element.dataset.dragged = '';
      },
      onDrop: () => {
        delete element.dataset.dragged;
      },
    }),
    dropTargetForElements({
      element,
      getData: ({ input }) => ({ dealId, edge: edgeAt(input.clientY) }),
      onDrag: ({ location }) => show(edgeAt(location.current.input.clientY)),
      onDragLeave: () => show(),
      onDrop: () => show(),
    }),
  );
};

/** Lets cards be dropped on a column, behind all others. */
export const dropOnColumn = (element: HTMLElement, stageId: number): (() => void) => {
  const leave = () => {
    delete element.dataset.over;
  };
  return dropTargetForElements({
    element,
    getData: () => ({ stageId }),
    onDragEnter: () => {
      element.dataset.over = '';
    },
    onDragLeave: leave,
    onDrop: leave,
  });
};

/**
 * Listens to drops.
 * @param columns tells what is shown
 * @param drop puts a deal down that came from elsewhere
 * @param drag called when a deal is picked up, and when it is put down anywhere
 */
export const watchDrops = (
  columns: () => readonly Column[],
  drop: (to: Move, from: Move) => void,
  drag: (isBegun: boolean) => void,
): (() => void) =>
  monitorForElements({
    onDragStart: () => drag(true),
    onDrop: ({ source, location }) => {
      drag(false);
      const found = find(columns(), Number(source.data.dealId));
      const [target] = location.current.dropTargets;
      if (!found || !target) return;
      const from = placeOf(found);
      const to = target.data.edge
        ? besideCard(columns(), from.dealId, target.data)
        : atEnd(columns(), from.dealId, target.data);
      if (to && (to.stageId !== from.stageId || to.position !== from.position)) drop(to, from);
    },
  });

type Data = Readonly<Record<string | symbol, unknown>>;

function besideCard(columns: readonly Column[], dealId: number, { dealId: beside, edge }: Data) {
  const found = find(columns, dealId);
  const other = find(columns, Number(beside));
  if (!found || !other || found.deal === other.deal) return undefined;
  const isBehind = found.column === other.column && found.index < other.index;
  const index = other.index + (edge === 'below' ? 1 : 0) - (isBehind ? 1 : 0);
  return moveTo(found.deal, other.column, index);
}

function atEnd(columns: readonly Column[], dealId: number, { stageId }: Data) {
  const found = find(columns, dealId);
  const column = columns.find(({ stage }) => stage.id === stageId);
  if (!found || !column) return undefined;
  return moveTo(found.deal, column, column.deals.length - (found.column === column ? 1 : 0));
}
