import type { ComponentChildren, JSX } from 'preact';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { words } from '../../words/words.ts';

/** What somebody did in it before its script had come. */
export interface Begun {
  readonly typed: string;
  /** Whether Enter was pressed behind that. */
  readonly isEntered: boolean;
}

/** The window of the search: its field, and beneath it whatever was found. */
export function SearchWindow({
  typed,
  onTyped,
  onClose,
  children,
  isExpanded = false,
  ...attributes
}: Pick<JSX.IntrinsicElements['input'], 'onKeyDown' | 'aria-controls' | 'aria-activedescendant'> & {
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
  readonly isExpanded?: boolean;
}) {
  const { search } = words.value;
  return (
    <Dialog title={search.title} onClose={onClose}>
      <div class="find">
        <div class="find-field">
          <Icon name="search" />
          <input
            type="search"
            role="combobox"
            autocomplete="off"
            autoFocus
            aria-label={search.label}
            aria-expanded={isExpanded}
            placeholder={search.hint}
            value={typed}
            onInput={(event) => onTyped(event.currentTarget.value)}
            {...attributes}
          />
        </div>
        {children}
      </div>
    </Dialog>
  );
}
