import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../words/words.ts';
import { IconButton } from './button.tsx';

/** Buttons and choices that stand side by side; on a narrow screen they are in a sheet behind one button. */
export function NarrowMenu({ children }: { readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <>
      <span class="narrow-menu-open">
        <IconButton icon="more" label={words.value.records.actions} popovertarget={id} />
      </span>
      <div
        id={id}
        class="narrow-menu"
        popover="auto"
        // Before the button itself is heard: a window that it opens gives the focus back to what can be seen.
        onClickCapture={({ target, currentTarget }) => {
          // Not a choice of a list, which is made by several clicks.
          if (target instanceof Element && target.closest('button, a')) currentTarget.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}
