import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { isForPage } from '../components/shortcut.ts';
import { places } from './places.ts';

/** Milliseconds within which a letter belongs to the `g` before it. */
const togetherMs = 1500;

/**
 * Single keys that work on every page.
 * @param create begins a record: a contact on the pages of contacts, else a deal
 */
export function useShortcuts(create: (kind: 'deal' | 'contact') => void): void {
  const [path, navigate] = useLocation();
  const latest = useRef({ path, navigate, create });
  latest.current = { path, navigate, create };
  const wentAt = useRef(-togetherMs);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isForPage(event)) return;
      const now = latest.current;
      const isSecond = event.timeStamp - wentAt.current < togetherMs;
      wentAt.current = -togetherMs;
      const place = isSecond ? places[event.key] : undefined;
      if (place) now.navigate(place.path);
      else if (event.key === 'g') wentAt.current = event.timeStamp;
      else if (event.key === '?') now.navigate('/keys');
      else if (event.key === 'n') now.create(now.path.startsWith('/contacts') ? 'contact' : 'deal');
      else return;
      event.preventDefault();
    };
    // Before the keys of the page: the second of two letters is not its own.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
