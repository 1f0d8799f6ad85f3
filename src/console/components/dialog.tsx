import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../words/words.ts';
import { IconButton } from './button.tsx';

/** A window over the page; the browser keeps the focus within, and gives it back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  /** Called when it wants to close; without it nothing closes it. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key press, not behind the next picture: the first letter is for the window, too.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div class="dialog-header">
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="close" label={words.value.shell.close} onClick={onClose} />}
      </div>
      {children}
    </dialog>
  );
}
