import { useEffect, useState } from 'preact/hooks';

/** Cards that a browser draws within one frame without being noticed. */
const together = 50;

/**
 * How many cards of each column to show: a board that appears is drawn over several frames, its upper part first.
 * @param of what appears; something else begins anew
 * @param columns how many there are
 * @param most the cards of the longest column
 */
export function useGradual(of: string, columns: number, most: number): number {
  const step = Math.ceil(together / Math.max(columns, 1));
  const [state, setState] = useState({ of, shown: step });
  const shown = state.of === of ? state.shown : step;
  const isWhole = shown >= most;
  useEffect(() => {
    if (isWhole) return;
    const frame = requestAnimationFrame(() => setState({ of, shown: shown + step }));
    return () => cancelAnimationFrame(frame);
  }, [of, shown, step, isWhole]);
  return shown;
}
