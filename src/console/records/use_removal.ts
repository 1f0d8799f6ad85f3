import { useLocation } from 'wouter-preact';
import { confirm } from '../components/confirm.tsx';
import { attempt, tell, tellForLong } from '../components/toast.tsx';
import { words } from '../words/words.ts';

/**
 * Removes the record of a page, after saying what goes with it, and leads to its list.
 * @param list where the others are
 */
export function useRemoval(list: string) {
  const { records } = words.value;
  const [path, navigate] = useLocation();
  return async (
    { name, title, text }: Readonly<Record<'name' | 'title' | 'text', string>>,
    remove: () => Promise<unknown>,
    /** Brings it back to its page, of what can come back. */
    restore?: () => Promise<unknown>,
  ): Promise<void> => {
    if (!(await confirm({ title, text, action: records.remove }))) return;
    if (!(await attempt(remove))) return;
    const undo = async () => {
      await restore?.();
      navigate(path);
    };
    if (restore) tellForLong(records.removed(name), undo);
    else tell(records.removed(name));
    navigate(list);
  };
}
