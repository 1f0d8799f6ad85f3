import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatNumber } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';

/** What narrows a list; on a narrow screen all but the search unfolds from a button that counts what is set. */
export function Filters({
  filters,
  none,
  search,
  children,
}: {
  readonly filters: Readonly<Record<string, string>>;
  /** The filters as they leave nothing out. */
  readonly none: Readonly<Record<string, string>>;
  /** The field of the filter `text`, where there is one. */
  readonly search?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const { text: _, ...others } = none;
  const set = Object.entries(others).filter(([name, value]) => filters[name] !== value).length;
  return (
    <search class="filters">
      {search}
      <div class="filters-open" data-open={isOpen}>
        <Button
          icon={isOpen ? 'up' : 'down'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {words.value.lists.filters(set > 0 ? formatNumber(set) : '')}
        </Button>
      </div>
      {children}
    </search>
  );
}
