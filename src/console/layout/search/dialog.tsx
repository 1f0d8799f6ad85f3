import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Page } from '../../page.ts';
import { words } from '../../words/words.ts';
import { type Item, placeGroups, recordGroups } from './items.ts';
import { useFind } from './use_find.ts';
import { type Begun, SearchWindow } from './window.tsx';

/** Finds records, pages and actions by what is typed; arrow keys and Enter lead there. */
export function SearchDialog({
  begun,
  pages,
  onAction,
  onClose,
}: {
  /** What was typed before this was there. */
  readonly begun: Begun;
  readonly pages: readonly Page[];
  readonly onAction: (action: NonNullable<Item['action']>) => void;
  readonly onClose: () => void;
}) {
  const { search, lists } = words.value;
  const [, navigate] = useLocation();
  const list = useId();
  const [typed, setTyped] = useState(begun.typed);
  /** The text behind which Enter was pressed before its answer was there. */
  const [awaited, setAwaited] = useState(begun.isEntered ? begun.typed : undefined);
  const [active, setActive] = useState(0);
  const { found, text, hasFailed } = useFind(typed);
  const groups = [...(found ? recordGroups(found) : []), ...placeGroups(pages, typed)].filter(
    ({ items }) => items.length > 0,
  );
  const items = groups.flatMap((group) => group.items);
  const isSettled = text === typed.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another answer begins at its first
  useEffect(() => setActive(0), [text, typed]);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    onClose();
    if (item.action) onAction(item.action);
    else if (item.href) navigate(item.href);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the answer that was waited for
  useEffect(() => {
    if (awaited === typed && isSettled && !hasFailed) choose(items[0]);
  }, [awaited, isSettled]);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key !== 'Enter' && step === undefined) return;
    event.preventDefault();
    if (step === undefined && isSettled) choose(items[active]);
    else if (step === undefined) setAwaited(typed);
    else if (items.length > 0) setActive((active + step + items.length) % items.length);
  };
  const idOf = (item: Item) => `${list}-${items.indexOf(item)}`;
  const activeItem = items[active];
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, active]);
  return (
    <SearchWindow
      typed={typed}
      onTyped={(text) => {
        setTyped(text);
        setAwaited(undefined);
      }}
      onClose={onClose}
      onKeyDown={onKeyDown}
      isExpanded={items.length > 0}
      aria-controls={list}
      aria-activedescendant={activeItem && idOf(activeItem)}
    >
      {found?.match === 'similar' && <p class="find-note">{search.similar}</p>}
      <div id={list} role="listbox" aria-label={search.title}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a list of choices has no fieldsets
          <div key={group.title} role="group" aria-label={group.title}>
            <p class="menu-title" aria-hidden="true">
              {group.title}
            </p>
            {group.items.map((item) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
              <div
                key={item.key}
                id={idOf(item)}
                role="option"
                aria-selected={item === activeItem}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(item)}
              >
                <span class="find-title">{marked(item)}</span>
                {item.context && <span class="find-context">{item.context}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p class="find-note" role="status">
        {hasFailed && isSettled
          ? words.value.refusals.unavailable
          : isSettled && items.length === 0 && (found ? search.none : lists.noneFound)}
      </p>
    </SearchWindow>
  );
}

/** A title with what was typed set off. */
function marked({ title, typed }: Item) {
  const pieces: ComponentChildren[] = [];
  let at = 0;
  for (const { from, to } of typed) {
    pieces.push(title.slice(at, from), <mark key={from}>{title.slice(from, to)}</mark>);
    at = to;
  }
  return [...pieces, title.slice(at)];
}
