import { useEffect, useState } from 'preact/hooks';
import { words } from '../words/words.ts';

/** A lost connection is reported after this many milliseconds: most are back by then. */
const worthMs = 4000;

/** Says that what is shown no longer changes by itself, where that lasts. */
export function LiveSign({ isLost }: { readonly isLost: boolean }) {
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => setTold(true), worthMs);
    return () => {
      clearTimeout(timer);
      setTold(false);
    };
  }, [isLost]);
  return (
    <p class="live-sign" role="status">
      {isTold && words.value.shell.notLive}
    </p>
  );
}
