import { useEffect, useState } from 'preact/hooks';
import { words } from '../words/words.ts';

/** A lost connection is reported after this many milliseconds: most are back by then. */
const worthMs = 4000;

/** Says that what is shown no longer changes by itself, where that lasts. */
export function LiveSign({ isLost }: { readonly isLost: boolean }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => setShown(true), worthMs);
    return () => {
      clearTimeout(timer);
      setShown(false);
    };
  }, [isLost]);
  return (
    <p class="live-sign" role="status">
      {isShown && words.value.shell.notLive}
    </p>
  );
}
