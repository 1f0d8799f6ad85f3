/** What people typed and nobody has yet: it is not left behind without a question. */
import { useLayoutEffect } from 'preact/hooks';
import { words } from '../words/words.ts';
import { confirm } from './confirm.tsx';

const unsaved = new Set<object>();

/** Whether to leave what was typed, which is asked where there is any. */
export async function mayLeave(): Promise<boolean> {
  const { forms } = words.value;
  return (
    unsaved.size === 0 ||
    confirm({ title: forms.discard, text: forms.whyDiscard, action: forms.discardAction })
  );
}

/**
 * Asks before unsaved input is left: within the console by a question of its own, beyond it by the
 * browser's.
 */
export const useUnsaved = (isTyped: boolean): void =>
  useLayoutEffect(() => {
    if (!isTyped) return;
    const mark = {};
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    unsaved.add(mark);
    addEventListener('beforeunload', ask);
    return () => {
      unsaved.delete(mark);
      removeEventListener('beforeunload', ask);
    };
  }, [isTyped]);
