import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { who } from '../api/who.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { useKeys } from '../components/shortcut.ts';
import type { Page } from '../page.ts';
import { MenuViews } from '../records/views/menu_views.tsx';
import { readViews } from '../records/views/saved_views.ts';
import { words } from '../words/words.ts';
import { ApiLinks } from './links.tsx';
import { Person } from './person.tsx';
import { Search } from './search/search.tsx';

const groups = ['sales', 'settings'] as const;

/** The way to the pages: at the side, and on a narrow screen behind a button at the top. */
export function Navigation({ pages }: { readonly pages: readonly Page[] }) {
  const { shell } = words.value;
  const [path] = useLocation();
  const search = useSearch();
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever it led, it has done its work
  useEffect(() => setOpen(false), [path, search]);
  useEffect(() => void readViews(), []);
  useKeys(({ key }) => {
    if (!isOpen || key !== 'Escape') return;
    setOpen(false);
    // What was in focus is about to be hidden.
    element.current?.querySelector<HTMLElement>('.brand button')?.focus();
  });
  return (
    <header ref={element} class={`side ${isOpen ? 'open' : ''}`}>
      <div class="brand">
        <Link href="/">{who.value?.account.name}</Link>
        <IconButton
          icon={isOpen ? 'close' : 'menu'}
          label={shell.menu}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      <Search pages={pages} />
      <nav aria-label={shell.navigation}>
        {groups.map((group) => (
          <Group
            key={group}
            title={shell.groups[group]}
            path={path}
            pages={inGroup(pages, group)}
          />
        ))}
      </nav>
      <ApiLinks />
      <Person />
    </header>
  );
}

const inGroup = (pages: readonly Page[], group: string): readonly Page[] =>
  pages.filter(({ menu }) => menu?.group === group);

function Group({
  title,
  path,
  pages,
}: {
  readonly title: string;
  readonly path: string;
  readonly pages: readonly Page[];
}) {
  if (pages.length === 0) return null;
  return (
    <>
      <h2 class="menu-title">{title}</h2>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <Link
              class="menu-link"
              href={page.path}
              aria-current={isWithin(path, page.path) ? 'page' : undefined}
            >
              {page.menu && <Icon name={page.menu.icon} />}
              {page.title(words.value)}
              {page.menu?.badge && <page.menu.badge />}
            </Link>
            <MenuViews path={page.path} title={page.title(words.value)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A record's page belongs to that of its list. */
const isWithin = (path: string, page: string): boolean =>
  path === page || path.startsWith(`${page}/`);
