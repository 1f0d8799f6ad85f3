import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';

/** Filters that unfold on a wide screen, so that a list begins near the top; those that narrow it are shown. */
export function MoreFilters({
  isSet,
  children,
}: {
  /** Whether one of them leaves something out. */
  readonly isSet: boolean;
  readonly children: ComponentChildren;
}) {
  const { lists } = words.value;
  const [isOpen, setOpen] = useState(isSet);
  // Whoever empties the last of them still types there.
  useEffect(() => {
    if (isSet) setOpen(true);
  }, [isSet]);
  const isShown = isOpen || isSet;
  return (
    <>
      <div class={`more-filters ${isShown ? 'open' : ''}`}>{children}</div>
      {!isSet && (
        <div class="more-filters-open">
          <Button
            kind="quiet"
            icon={isShown ? 'up' : 'down'}
            aria-expanded={isShown}
            onClick={() => setOpen(!isOpen)}
          >
            {isShown ? lists.fewerFilters : lists.moreFilters}
          </Button>
        </div>
      )}
    </>
  );
}
