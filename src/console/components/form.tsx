import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../api/refusal.ts';
import { explain } from '../words/refusals.ts';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';
import { useUnsaved } from './unsaved_input.ts';
import type { FormState } from './use_form.ts';

/** A form with its button. Leaving it with changes in it is asked about. */
export function Form<Values>({
  form,
  action,
  isDangerous = false,
  isReadOnly = false,
  refusals = {},
  children,
  more,
  onEscape,
}: {
  readonly form: FormState<Values>;
  /** What its button says. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Whether the person may look at it alone. */
  readonly isReadOnly?: boolean;
  /** What a refusal means here, by its code. */
  readonly refusals?: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
  /** Beside the button. */
  readonly more?: ComponentChildren;
  /** Called when somebody presses Escape in it. */
  readonly onEscape?: () => void;
}) {
  const element = useRef<HTMLFormElement>(null);
  const { isChanged, isBusy, refusal, reload } = form;
  // What is on its way to the service may lead to another page once it was taken.
  useUnsaved(isChanged && !isBusy);
  useEffect(() => {
    if (refusal) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  useLayoutEffect(() => {
    // Browsers do so of themselves in a window, but not within a page that is there.
    element.current?.querySelector<HTMLElement>('[autofocus]')?.focus();
  }, []);
  const sentences = refusal ? whyNot(refusal, form.names, refusals) : [];
  return (
    <form
      ref={element}
      class="form"
      noValidate
      onKeyDown={(event) => {
        const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (isSent && !isBusy && !isReadOnly) void form.submit();
        if (event.key === 'Escape' && onEscape && !event.defaultPrevented) onEscape();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      {sentences.length > 0 && (
        <div class="notice bad" role="alert">
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {reload && refusal?.code === 'PRECONDITION_FAILED' && (
            <Button onClick={reload}>{words.value.shell.reload}</Button>
          )}
        </div>
      )}
      <fieldset disabled={isReadOnly}>{children}</fieldset>
      {!isReadOnly && (
        <div class="form-end">
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy}>
            {action}
          </Button>
          {more}
        </div>
      )}
    </form>
  );
}

function whyNot(
  refusal: Refusal,
  names: readonly string[],
  refusals: Readonly<Record<string, string>>,
): readonly string[] {
  const known = refusals[refusal.code];
  return known === undefined ? explain(refusal, names) : [known];
}
