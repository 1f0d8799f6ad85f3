import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asRefusal } from '../api/refusal.ts';
import { explain } from '../words/refusals.ts';
import { words } from '../words/words.ts';
import { Button, IconButton } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo?: (() => Promise<unknown>) | undefined;
  /** Whether it stays until it is dismissed, or something else is done. */
  readonly stays: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let latest = 0;

/** Milliseconds for which something is shown that needs no answer. */
const shownMs = 8000;

/**
 * Takes away what was said of the last thing done. Whatever takes a while begins with it, so that the
 * "Undo" on the screen is never that of something earlier.
 */
export function dismissDone(): void {
  toasts.value = toasts.value.filter(({ isBad }) => isBad);
}

/** Errors stay until they are dismissed; of what was done, only the latest is shown. */
function show(toast: Omit<Toast, 'id'>): void {
  dismissDone();
  toasts.value = [...toasts.value.slice(-2), { ...toast, id: ++latest }];
}

const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/**
 * Tells what was done.
 * @param undo takes it back
 */
export const tell = (text: string, undo?: () => Promise<unknown>): void =>
  show({ text, undo, isBad: false, stays: false });

/** Tells what can be taken back for as long as nothing else is done. */
export const tellForLong = (text: string, undo: () => Promise<unknown>): void =>
  show({ text, undo, isBad: false, stays: true });

/**
 * Does something, and tells why when it cannot be done.
 * @param refusals what a refusal means here, by its code
 * @returns whether it was done
 */
export async function attempt(
  action: () => Promise<unknown>,
  refusals: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    const refusal = asRefusal(error);
    show({
      text: refusals[refusal.code] ?? explain(refusal).join(' '),
      isBad: true,
      stays: true,
    });
    return false;
  }
}

/** Where they appear; once in the layout. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map((toast) => (
      <Shown key={toast.id} {...toast} />
    ))}
  </div>
);

function Shown({ id, text, isBad, stays, undo }: Toast) {
  const { shell } = words.value;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, stays]);
  const takeBack = async () => {
    dismiss(id);
    if (undo && (await attempt(undo))) tell(shell.undone);
  };
  return (
    <div class={`toast ${isBad ? 'bad' : ''}`}>
      <p>{text}</p>
      {undo && (
        <Button kind="quiet" onClick={takeBack}>
          {shell.undo}
        </Button>
      )}
      <IconButton icon="close" label={shell.close} onClick={() => dismiss(id)} />
    </div>
  );
}
