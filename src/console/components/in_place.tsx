import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain, inWords } from '../words/refusals.ts';
import { words } from '../words/words.ts';
import { Button, IconButton } from './button.tsx';
import type { Option } from './select.tsx';
import { useUnsaved } from './unsaved_input.ts';
import { holderOf, useForm } from './use_form.ts';

interface Props {
  /** What the service calls the field, for what it may say about it. */
  readonly name: string;
  /** What people call it, and of what record it is where a page shows several. */
  readonly label: string;
  /** As it is typed. */
  readonly value: string;
  /** Instead of typing, the choices that there are. */
  readonly options?: readonly Option[];
  readonly type?: 'text' | 'email' | 'tel';
  /** Whether what is shown does something else when it is clicked, such as a link: then a pencil stands beside it. */
  readonly hasPencil?: boolean;
  /** The version of the record that shows the value. */
  readonly version: string;
  /** Shows the record as it is now. */
  readonly reload: () => Promise<unknown>;
  /** @throws {Refusal} what the service refused */
  readonly save: (value: string, version?: string) => Promise<unknown>;
  /** The value as it is shown. */
  readonly children: ComponentChildren;
}

/** A value that is changed where it stands: a click, the new one, Enter; Escape leaves it as it was. */
export function InPlace(props: Props) {
  const { label, children, hasPencil = false } = props;
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    // Where it was opened from, the next key finds it again, unless somebody has gone on elsewhere.
    const isLost = document.activeElement === document.body;
    if (!isOpen && isDone.current && isLost) place.current?.querySelector('button')?.focus();
    isDone.current = false;
  }, [isOpen]);
  const title = words.value.records.change(label);
  const done = () => {
    isDone.current = true;
    setOpen(false);
  };
  if (isOpen) return <Editor {...props} onDone={done} onLeave={() => setOpen(false)} />;
  return (
    <span ref={place} class="in-place">
      {hasPencil ? (
        <>
          {children}
          <IconButton icon="edit" label={title} onClick={() => setOpen(true)} />
        </>
      ) : (
        <button type="button" title={title} onClick={() => setOpen(true)}>
          <span class="in-place-text">{children || '–'}</span>
          <span class="unseen">{title}</span>
        </button>
      )}
    </span>
  );
}

function Editor({
  name,
  label,
  value,
  options,
  type = 'text',
  version,
  reload,
  save,
  onDone,
  onLeave,
}: Props & {
  /** Called when the value was saved, or given up by a key. */
  readonly onDone: () => void;
  /** Called when somebody goes on elsewhere without having typed; the focus is not there yet. */
  readonly onLeave: () => void;
}) {
  const form = useForm(
    { value },
    async (values, _, known) => {
      if (values.value !== value) await save(values.value, known);
      onDone();
    },
    { version, reload },
  );
  const element = useRef<HTMLFormElement>(null);
  const { isChanged, isBusy, refusal } = form;
  useUnsaved(isChanged && !isBusy);
  // Before the next key press, not behind the next picture: the first letter is for what was opened.
  useLayoutEffect(() => {
    const control = element.current?.querySelector<HTMLElement>('input, select');
    control?.focus();
    if (control instanceof HTMLInputElement) control.select();
  }, []);
  const field = form.field('value');
  const sentences = refusal?.fields[name]?.map(inWords) ?? (refusal ? explain(refusal) : []);
  const holder = holderOf(refusal, name);
  const theirs = field.theirs === undefined ? [] : [words.value.forms.theirs(field.theirs || '—')];
  const control = {
    'aria-label': label,
    'aria-invalid': sentences.length > 0,
    'aria-busy': isBusy,
    value: field.value,
  };
  return (
    <form
      ref={element}
      class="in-place-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void form.submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isWithin && !isChanged && !isBusy) onLeave();
      }}
    >
      {options ? (
        <select
          {...control}
          name={name}
          onChange={(event) => field.onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void form.submit();
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...control}
          name={name}
          type={type}
          autocomplete="off"
          onInput={(event) => field.onChange(event.currentTarget.value)}
        />
      )}
      <IconButton type="submit" icon="done" label={words.value.shell.save} />
      {[...sentences, ...theirs].map((sentence) => (
        <p key={sentence} class="field-error" role="alert">
          {sentence}
        </p>
      ))}
      {holder && (
        <a href={`/console${holder}`} target="_blank" rel="noopener">
          {words.value.forms.holder}
        </a>
      )}
      {refusal?.code === 'PRECONDITION_FAILED' && (
        <Button onClick={reload}>{words.value.shell.reload}</Button>
      )}
    </form>
  );
}
