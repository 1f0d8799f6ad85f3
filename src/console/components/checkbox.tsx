import type { ComponentChildren } from 'preact';
import type { FieldBinding } from './field.tsx';

/** Yes or no. */
export const Checkbox = ({
  label,
  hint,
  name,
  value,
  onChange,
  disabled = false,
}: Omit<FieldBinding<boolean>, 'error'> & {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
}) => (
  <label class="checkbox">
    <input
      type="checkbox"
      name={name}
      checked={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {hint && <small>{hint}</small>}
    </span>
  </label>
);
