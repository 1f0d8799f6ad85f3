import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isForPage, useKeys } from '../../components/shortcut.ts';

/** Steps from row to row. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/**
 * Lets keys work on rows (`data-row`) within an element: arrows or `j` and `k` choose one, by the focus on its link
 * (`data-main`); `d` ticks its checkbox, and any other key presses the button that names it (`data-key`).
 */
export function useRowKeys(): RefObject<HTMLDivElement> {
  const list = useRef<HTMLDivElement>(null);
  /** Where the focus was, so that it goes on there when the row is gone. */
  const place = useRef<number>();
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const focus = (at: number) => {
    const all = rows();
    const row = all[Math.max(0, Math.min(all.length - 1, at))];
    row?.querySelector<HTMLElement>('[data-main]')?.focus();
  };
  useKeys((event) => {
    if (!isForPage(event)) return;
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      focus(at < 0 ? 0 : at + step);
      return;
    }
    const row = all[at];
    const key = event.key.toLowerCase();
    const target =
      key === 'd'
        ? row?.querySelector<HTMLElement>('input[type=checkbox]')
        : row?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return;
    event.preventDefault();
    place.current = at;
    target.click();
  });
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body || !document.activeElement;
    if (place.current !== undefined && isLost) focus(place.current);
  });
  return list;
}
