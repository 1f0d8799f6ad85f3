/** Single keys as shortcuts of a page. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Whether a key is for a field rather than for the page. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
      !(target instanceof HTMLInputElement && target.type === 'checkbox')));

/** Whether a key that was pressed alone is a shortcut: nobody is typing, and no window is open. */
export const isForPage = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !isTyping(event.target) &&
  !document.querySelector('dialog[open]');

/**
 * Listens to the keys of the whole page, from the moment at which what they work on is to be seen: an effect that
 * waits for the next picture would miss a key that is pressed before it.
 * @param onKeyDown what a key does, as of the latest rendering
 * @param capture whether before what has the focus, rather than after it
 */
export function useKeys(onKeyDown: (event: KeyboardEvent) => void, capture = false): void {
  const latest = useRef(onKeyDown);
  useLayoutEffect(() => {
    latest.current = onKeyDown;
  });
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => latest.current(event);
    addEventListener('keydown', listener, { capture });
    return () => removeEventListener('keydown', listener, { capture });
  }, [capture]);
}
