import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../words/words.ts';

/** What a field has of its form, see `useForm`. */
export interface FieldBinding<Value> {
  readonly name: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** What is wrong with it, in words. */
  readonly error: string | undefined;
  /** Where the record is that has this value already, below `/console`. */
  readonly holder?: string | undefined;
  /** What somebody else has made of it while another value was typed here. */
  readonly theirs?: Value | undefined;
}

export interface FieldLabel {
  readonly label: string;
  /** What may be written here. */
  readonly hint?: ComponentChildren;
}

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

/** A label, a control, and what is to say about it. */
export function Field({
  label,
  hint,
  error,
  holder,
  theirs,
  children,
}: FieldLabel & {
  readonly error?: string | undefined;
  readonly holder?: string | undefined;
  /** As it is shown, see {@link FieldBinding}. */
  readonly theirs?: string | undefined;
  readonly children: (control: Control) => ComponentChildren;
}) {
  const id = useId();
  const description = `${id}-description`;
  const more =
    error ?? (theirs === undefined ? hint : words.value.forms.theirs(theirs === '' ? '—' : theirs));
  const hasMore = Boolean(more);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': hasMore ? description : undefined,
        'aria-invalid': error !== undefined,
      })}
      {hasMore && (
        <p id={description} class={error ? 'field-error' : 'field-hint'}>
          {more}
          {error && holder && (
            // What was typed stays where it is.
            <a href={`/console${holder}`} target="_blank" rel="noopener">
              {words.value.forms.holder}
            </a>
          )}
        </p>
      )}
    </div>
  );
}

type TextProps = FieldLabel &
  FieldBinding<string> &
  Pick<
    InputHTMLAttributes,
    | 'type'
    | 'autocomplete'
    | 'required'
    | 'placeholder'
    | 'maxLength'
    | 'inputMode'
    | 'autoFocus'
    | 'readOnly'
    | 'list'
    | 'onFocus'
  >;

/** A line of text. */
export const TextField = ({ label, hint, error, holder, theirs, onChange, ...rest }: TextProps) => (
  <Field label={label} hint={hint} error={error} holder={holder} theirs={theirs}>
    {(control) => (
      <input {...rest} {...control} onInput={(event) => onChange(event.currentTarget.value)} />
    )}
  </Field>
);

/** Several lines of text. */
export const TextArea = ({
  label,
  hint,
  error,
  holder: _,
  theirs,
  onChange,
  ...rest
}: FieldLabel &
  FieldBinding<string> & {
    readonly rows?: number;
    readonly required?: boolean;
    readonly autoFocus?: boolean;
  }) => (
  <Field label={label} hint={hint} error={error} theirs={theirs}>
    {(control) => (
      <textarea
        rows={4}
        {...rest}
        {...control}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);
