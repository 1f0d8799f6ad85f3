import { useEffect, useId, useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Field, type FieldBinding, type FieldLabel } from './field.tsx';
import type { Option } from './select.tsx';
import { attempt } from './toast.tsx';

/** Milliseconds without a key pressed after which it is searched for. */
const restMs = 200;

/** A choice of one among many, found by typing a part of what it is called. */
export function Picker({
  label,
  hint,
  error,
  value,
  onChange,
  search,
  create,
  autoFocus = false,
}: FieldLabel &
  FieldBinding<Option | undefined> & {
    readonly search: (text: string) => Promise<readonly Option[]>;
    /** Creates what was typed. */
    readonly create?: (text: string) => Promise<Option>;
    readonly autoFocus?: boolean;
  }) {
  const list = useId();
  const [typed, setTyped] = useState<string>();
  const [found, setFound] = useState<readonly Option[]>([]);
  const [active, setActive] = useState(0);
  /** What was found belongs to this text. */
  const [looked, setLooked] = useState<string>();
  const isOpen = typed !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is what is searched for
  useEffect(() => {
    if (!isOpen) return;
    let isLatest = true;
    const look = async () => {
      const options = await search(typed).catch(() => []);
      if (isLatest) setFound(options);
      if (isLatest) setActive(0);
      if (isLatest) setLooked(typed);
    };
    const timer = setTimeout(look, typed === '' ? 0 : restMs);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [typed]);
  const choose = (option: Option | undefined) => {
    if (option) onChange(option);
    setTyped(undefined);
  };
  /** What there is an offer to create, behind what was found. */
  const offer = create && looked === typed ? (typed ?? '').trim() || undefined : undefined;
  const last = offer === undefined ? found.length - 1 : found.length;
  const createTyped = () =>
    attempt(async () => {
      if (create && offer) choose(await create(offer));
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const takes = isOpen && (event.key === 'Enter' || event.key === 'Escape');
    if (step === undefined && !takes) return;
    event.preventDefault();
    if (event.key === 'Enter' && offer && active === found.length) void createTyped();
    else if (event.key === 'Enter') choose(found[active]);
    else if (event.key === 'Escape') setTyped(undefined);
    else if (isOpen) setActive(Math.max(0, Math.min(last, active + (step ?? 0))));
    else setTyped('');
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div class="picker">
          <input
            {...control}
            {...{ autoFocus }}
            role="combobox"
            autocomplete="off"
            aria-expanded={isOpen}
            aria-controls={list}
            aria-activedescendant={isOpen && active <= last ? `${list}-${active}` : undefined}
            value={typed ?? value?.text ?? ''}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onClick={() => setTyped(typed ?? '')}
            onBlur={() => setTyped(undefined)}
            onKeyDown={onKeyDown}
          />
          <div id={list} role="listbox" aria-label={label} hidden={!isOpen}>
            {found.map((option, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
              <div
                key={option.value}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === active}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                {option.text}
              </div>
            ))}
            {offer ? (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
              <div
                id={`${list}-${found.length}`}
                role="option"
                aria-selected={active === found.length}
                onMouseDown={(event) => event.preventDefault()}
                onClick={createTyped}
              >
                {words.value.search.create(offer)}
              </div>
            ) : (
              found.length === 0 && <p>{words.value.lists.noneFound}</p>
            )}
          </div>
        </div>
      )}
    </Field>
  );
}
