import { useEffect, useId, useState } from 'preact/hooks';
import { TextField } from './field.tsx';
import type { Filtering } from './filtering.ts';

/** Milliseconds without a key pressed after which it is searched for. */
const restMs = 250;

/** A filter that is typed, taken when somebody rests from typing it. */
export function FilterText({
  name,
  label,
  type = 'text',
  inputMode,
  suggested,
  filters,
  change,
}: Filtering & {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'search';
  readonly inputMode?: 'decimal' | 'numeric';
  /** What most people want. */
  readonly suggested?: readonly string[];
}) {
  const text = filters[name] ?? '';
  const [typed, setTyped] = useState(text);
  const list = useId();
  useEffect(() => setTyped(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed starts the rest
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => change({ [name]: typed }), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <TextField
        type={type}
        name={name}
        label={label}
        value={typed}
        onChange={setTyped}
        error={undefined}
        {...(inputMode && { inputMode })}
        {...(suggested && { list, autocomplete: 'off' })}
      />
      {suggested && (
        <datalist id={list}>
          {suggested.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}
