import { Field, type FieldBinding, type FieldLabel } from './field.tsx';

export interface Option {
  readonly value: string;
  readonly text: string;
}

/** A choice of one. */
export const Select = ({
  label,
  hint,
  error,
  theirs,
  options,
  name,
  value,
  onChange,
}: FieldLabel & FieldBinding<string> & { readonly options: readonly Option[] }) => (
  <Field
    label={label}
    hint={hint}
    error={error}
    theirs={theirs && (options.find(({ value }) => value === theirs)?.text ?? theirs)}
  >
    {(control) => (
      <select
        {...control}
        name={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    )}
  </Field>
);
