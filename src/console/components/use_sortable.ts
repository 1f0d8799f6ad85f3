import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** At which end of an item another would come to stand. */
export type Edge = 'before' | 'after';

interface Sortable {
  readonly item: RefObject<HTMLLIElement>;
  /** What it is dragged by. */
  readonly handle: RefObject<HTMLButtonElement>;
  /** Where the one that is over it would come to stand. */
  readonly edge: Edge | undefined;
  readonly isDragged: boolean;
}

/**
 * Makes an item of a list draggable, and a place to drop others of its list.
 * @param list what these are, such as `stages of 7`: items of other lists cannot be dropped here
 * @param onDrop called with the item that was dropped on this one, and at which end
 */
export function useSortable(
  list: string,
  id: number,
  isFixed: boolean,
  onDrop: (dropped: number, edge: Edge) => void,
): Sortable {
  const item = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const [isDragged, setDragged] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const element = item.current;
    if (!element || !handle.current || isFixed) return;
    return combine(
      draggable({
        element,
        dragHandle: handle.current,
        getInitialData: () => ({ list, id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.list === list && source.data.id !== id,
        onDrag: ({ location }) => setEdge(edgeAt(element, location.current.input.clientY)),
        onDragLeave: () => setEdge(undefined),
        onDrop: ({ source, location }) => {
          setEdge(undefined);
          latest.current(Number(source.data.id), edgeAt(element, location.current.input.clientY));
        },
      }),
    );
  }, [list, id, isFixed]);
  return { item, handle, edge, isDragged };
}

function edgeAt(element: Element, y: number): Edge {
  const { top, height } = element.getBoundingClientRect();
  return y < top + height / 2 ? 'before' : 'after';
}
