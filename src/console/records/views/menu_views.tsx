import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { addressOf, isShown, savedViews } from './saved_views.ts';

/** Views of a list that stand beneath it before somebody asks for more. */
const few = 5;

/**
 * The views of a list beneath its link in the navigation.
 * @param path of the list's page
 */
export function MenuViews({ path, title }: { readonly path: string; readonly title: string }) {
  const { board, views: texts } = words.value;
  const [isWhole, setWhole] = useState(false);
  const [at] = useLocation();
  const search = useSearch();
  const views = savedViews.value.filter(({ list }) => `/${list}` === path);
  if (views.length === 0) return null;
  const rest = views.length - few;
  // The one whose list is open is never hidden.
  const current = at === path ? views.findIndex((view) => isShown(view, search)) : -1;
  const isOpen = isWhole || current >= few;
  return (
    <ul class="menu-views" aria-label={`${texts.title}: ${title}`}>
      {views.slice(0, isOpen ? views.length : few).map(({ id, name, filters }, place) => (
        <li key={id}>
          <Link
            class="menu-link"
            href={addressOf(path.slice(1), filters)}
            title={name}
            aria-current={place === current ? 'page' : undefined}
          >
            <span>{name}</span>
          </Link>
        </li>
      ))}
      {rest > 0 && (
        <li key="more">
          <button
            type="button"
            class="menu-link"
            aria-expanded={isOpen}
            onClick={() => setWhole(!isOpen)}
          >
            {isOpen ? texts.fewer : board.more(formatNumber(rest))}
          </button>
        </li>
      )}
    </ul>
  );
}
