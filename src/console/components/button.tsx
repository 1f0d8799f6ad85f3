import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Props extends Omit<ButtonHTMLAttributes, 'class' | 'icon'> {
  /** One `primary` on a page: what it is for. `danger` removes; `quiet` has no frame. */
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Whether what it began is not finished. */
  readonly isBusy?: boolean;
}

export const Button = ({ kind, icon, isBusy = false, children, ...rest }: Props) => (
  <button
    type="button"
    {...rest}
    class={`button ${kind ?? ''}`}
    aria-busy={isBusy}
    disabled={isBusy || rest.disabled}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
);

/** A button that shows an icon alone. */
export const IconButton = ({
  label,
  icon,
  ...rest
}: Omit<Props, 'kind' | 'children'> & { readonly label: string; readonly icon: IconName }) => (
  <button type="button" {...rest} class="icon-button" aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);
