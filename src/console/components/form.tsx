import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../api/refusal.ts';
import { explain } from '../words/refusals.ts';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';
import { useUnsaved } from './unsaved.ts';
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
}) {
  const element = useRef<HTMLFormElement>(null);
  const { isChanged, isBusy, refusal, reload } = form;
  // What is on its way to the service may lead to another page once it was taken.
  useUnsaved(isChanged && !isBusy);
  useEffect(() => {
    if (refusal) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  const sentences = refusal ? whyNot(refusal, form.names, refusals) : [];
  return (
    <form
      ref={element}
      class="form"
      noValidate
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
