import { useEffect, useRef } from 'preact/hooks';

/**
 * Does something whenever a value has become another one; nothing when the component is first shown.
 * @param act is given the value of before
 */
export function useChange<Value>(value: Value, act: (before: Value) => void): void {
  const known = useRef(value);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const before = known.current;
    known.current = value;
    if (before !== value) latest.current(before);
  }, [value]);
}
