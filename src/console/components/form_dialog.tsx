import type { ComponentChildren } from 'preact';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { mayLeave } from './unsaved_input.ts';
import type { FormState } from './use_form.ts';

/** A form in a window, which closes without changes, or when they are given up. */
export function FormDialog<Values>({
  title,
  form,
  action,
  onClose,
  children,
}: {
  readonly title: string;
  readonly form: FormState<Values>;
  /** What its button says. */
  readonly action: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { shell } = words.value;
  const close = async () => {
    if (!form.isChanged || (await mayLeave())) onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      <Form form={form} action={action} more={<Button onClick={close}>{shell.cancel}</Button>}>
        {children}
      </Form>
    </Dialog>
  );
}
