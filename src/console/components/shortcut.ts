/** Single keys as shortcuts of a page. */

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
