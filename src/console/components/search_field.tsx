import { useEffect, useState } from 'preact/hooks';
import { TextField } from './field.tsx';
import type { Filtering } from './filtering.ts';

/** Milliseconds without a key pressed after which it is searched for. */
const restMs = 250;

/** The filter `text`, taken when somebody rests from typing it. */
export function SearchField({
  label,
  filters: { text = '' },
  change,
}: Filtering & { readonly label: string }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed starts the rest
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => change({ text: typed }), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      type="search"
      name="text"
      label={label}
      value={typed}
      onChange={setTyped}
      error={undefined}
    />
  );
}
