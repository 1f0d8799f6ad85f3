import { useEffect, useRef } from 'preact/hooks';
import { FollowDocument, type SummarySubject } from '../../generated/console.ts';
import { useLive } from '../api/use_live.ts';
import { typedForms } from '../components/use_form.ts';

/**
 * Reads records again when somebody has changed, added or removed one of them.
 * @param query finds them, without an order
 * @returns whether that may be missed at the moment
 */
export function useFollow(
  of: SummarySubject,
  query: Readonly<Record<string, unknown>>,
  reload: () => unknown,
): boolean {
  const { data, isLost } = useLive(FollowDocument, { of, query });
  const known = useRef<string>();
  const isFree = typedForms.value === 0;
  useEffect(() => {
    // What somebody types is not moved beneath them: their save says that there is something newer.
    if (!isFree) return;
    const now = data && JSON.stringify(data);
    // The first answer of a search is what the page asks for itself.
    if (known.current !== undefined && now !== undefined && now !== known.current) void reload();
    known.current = now;
  }, [data, reload, isFree]);
  return isLost;
}
