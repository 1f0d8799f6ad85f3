import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asRefusal, type Refusal } from './refusal.ts';
import { isInterrupted } from './session.ts';

interface State<Data> {
  /** The latest; that of another key while this one's is on its way. */
  readonly data: Data | undefined;
  readonly refusal: Refusal | undefined;
  readonly isLoading: boolean;
}

export interface Loading<Data> extends State<Data> {
  /** Loads again; resolves when that is over. */
  readonly reload: () => Promise<void>;
}

/**
 * Loads something, and again when its key changes, when the network is back and when a person whose
 * session ended has signed in.
 * @param key stands for everything that `load` depends on
 * @param before what is shown until then
 */
export function useLoad<Data>(
  load: () => Promise<Data>,
  key: string,
  before?: Data,
): Loading<Data> {
  const [state, setState] = useState<State<Data>>({
    data: before,
    refusal: undefined,
    isLoading: true,
  });
  const latest = useRef(load);
  latest.current = load;
  // Of several that are on their way, the one begun last counts.
  const turn = useRef(0);
  const reload = useCallback(async () => {
    const own = ++turn.current;
    const settle = (change: Partial<State<Data>>) => {
      if (own === turn.current) setState((before) => ({ ...before, ...change, isLoading: false }));
    };
    setState((before) => ({ ...before, isLoading: true }));
    try {
      settle({ data: await latest.current(), refusal: undefined });
    } catch (error) {
      settle({ refusal: asRefusal(error) });
    }
  }, []);
  const isOut = isInterrupted.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key is what loads again
  useEffect(() => {
    if (isOut) return;
    const again = () => void reload();
    again();
    addEventListener('online', again);
    return () => {
      turn.current += 1;
      removeEventListener('online', again);
    };
  }, [key, isOut, reload]);
  return { ...state, reload };
}
