import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';

/** Filters that unfold, so that a list begins near the top; those that narrow it are shown. */
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
      {isShown && children}
      {!isSet && (
        <Button
          kind="quiet"
          icon={isShown ? 'up' : 'down'}
          aria-expanded={isShown}
          onClick={() => setOpen(!isOpen)}
        >
          {isShown ? lists.fewerFilters : lists.moreFilters}
        </Button>
      )}
    </>
  );
}
