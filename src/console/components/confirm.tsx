import { signal } from '@preact/signals';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it: a verb. */
  readonly action: string;
}

const asked = signal<(Question & { readonly answer: (isSure: boolean) => void }) | undefined>(
  undefined,
);

/** Asks whether something that cannot be undone is to be done. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (isSure) => {
        asked.value = undefined;
        resolve(isSure);
      },
    };
  });

/** Where questions appear; once in the layout. */
export function Confirmation() {
  if (!asked.value) return null;
  const { title, text, action, answer } = asked.value;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>{text}</p>
      <div class="form-end">
        <Button kind="danger" onClick={() => answer(true)}>
          {action}
        </Button>
        <Button onClick={() => answer(false)}>{words.value.shell.cancel}</Button>
      </div>
    </Dialog>
  );
}
