import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocumentString } from '../../generated/console.ts';
import type { VariablesOf } from './ask.ts';
import { isInterrupted } from './session.ts';
import { isOnline, isSeen, watch } from './watch.ts';

export interface Live<Data> {
  /** The latest of these very variables. */
  readonly data: Data | undefined;
  /** Whether it may be out of date, because the service cannot be reached. */
  readonly isLost: boolean;
}

/** Watches a subscription while somebody looks at the page, and another one when its variables change. */
export function useLive<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: VariablesOf<Variables>,
): Live<Data> {
  const key = JSON.stringify([document.toString(), given]);
  const [state, setState] = useState<Live<Data> & { readonly of: string }>();
  const isWatching = isSeen.value && isOnline.value && !isInterrupted.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is watched
  useEffect(() => {
    if (!isWatching) return;
    return watch(document, given, {
      next: (data) => setState({ of: key, data, isLost: false }),
      lost: () =>
        setState((before) => ({
          of: key,
          data: before?.of === key ? before.data : undefined,
          isLost: true,
        })),
    });
  }, [key, isWatching]);
  return {
    data: state?.of === key ? state.data : undefined,
    isLost: !isOnline.value || (state?.isLost ?? false),
  };
}

/**
 * Of an answer that was asked for and one that is watched, what came last. An answer that is on its way when
 * the first watched one comes is older than that.
 */
export function useLatest<Data>(asked: Data | undefined, watched: Data | undefined) {
  const latest = useRef<{ asked?: Data | undefined; watched?: Data | undefined; shown?: Data }>({});
  const before = latest.current;
  const isFirst = before.asked === undefined;
  if (asked !== before.asked && asked && !(isFirst && watched)) before.shown = asked;
  if (watched !== before.watched && watched) before.shown = watched;
  before.asked = asked;
  before.watched = watched;
  return before.shown;
}
