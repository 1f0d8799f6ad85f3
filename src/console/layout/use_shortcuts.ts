import { useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { isForPage, useKeys } from '../components/shortcut.ts';
import { places } from './places.ts';

/** Milliseconds within which a letter belongs to the `g` before it. */
const togetherMs = 1500;

/**
 * Single keys that work on every page.
 * @param create begins a record: a contact on the pages of contacts, else a deal
 */
export function useShortcuts(create: (kind: 'deal' | 'contact') => void): void {
  const [path, navigate] = useLocation();
  const wentAt = useRef(-togetherMs);
  // Before the keys of the page: the second of two letters is not its own.
  useKeys((event) => {
    if (!isForPage(event)) return;
    const isSecond = event.timeStamp - wentAt.current < togetherMs;
    wentAt.current = -togetherMs;
    const place = isSecond ? places[event.key] : undefined;
    if (place) navigate(place.path);
    else if (event.key === 'g') wentAt.current = event.timeStamp;
    else if (event.key === '?') navigate('/keys');
    else if (event.key === 'n') create(path.startsWith('/contacts') ? 'contact' : 'deal');
    else return;
    event.preventDefault();
  }, true);
}
