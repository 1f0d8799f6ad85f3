import { useRef, useState } from 'preact/hooks';

/** The rows of a list that something is to be done with. */
export interface Selection {
  readonly ids: ReadonlySet<number>;
  /** Whether these are all that the list's search finds, on whatever page. */
  readonly isAll: boolean;
  /**
   * Chooses a row, or no longer.
   * @param upTo all from the row that was last chosen up to this one, as the page has them
   */
  readonly toggle: (id: number, page: readonly number[], upTo: boolean) => void;
  /** Chooses all rows of a page; none where all of them are chosen. */
  readonly togglePage: (page: readonly number[]) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface State {
  readonly of: string;
  readonly ids: ReadonlySet<number>;
  readonly isAll: boolean;
}

/** @param key of the list's search: with another one nothing is chosen */
export function useSelection(key: string): Selection {
  const [state, setState] = useState<State>({ of: key, ids: new Set(), isAll: false });
  const last = useRef<number>();
  const { ids, isAll } = state.of === key ? state : { ids: new Set<number>(), isAll: false };
  const set = (next: Iterable<number>, all = false) =>
    setState({ of: key, ids: new Set(next), isAll: all });
  return {
    ids,
    isAll,
    toggle: (id, page, upTo) => {
      const [from, to] = [page.indexOf(last.current ?? id), page.indexOf(id)];
      const range =
        upTo && from >= 0 ? page.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
      last.current = id;
      const isChosen = ids.has(id);
      set(isChosen ? [...ids].filter((one) => !range.includes(one)) : [...ids, ...range]);
    },
    togglePage: (page) => {
      const others = [...ids].filter((id) => !page.includes(id));
      set(page.every((id) => ids.has(id)) ? others : [...others, ...page]);
    },
    chooseAll: () => set(ids, true),
    clear: () => set([]),
  };
}
