import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Icon } from '../../components/icon.tsx';
import { isForPage, useKeys } from '../../components/shortcut.ts';
import { attempt } from '../../components/toast.tsx';
import type { Page } from '../../page.ts';
import { words } from '../../words/words.ts';
import { useShortcuts } from '../use_shortcuts.ts';
import type { Creation } from './creations.tsx';
import { type Begun, SearchWindow } from './window.tsx';

type Parts = typeof import('./parts.ts');

let parts: Parts | undefined;

async function load(): Promise<void> {
  parts = await import('./parts.ts');
}

const nothing: Begun = { typed: '', isEntered: false };

/** When its script is fetched, so that it does not delay what the page shows first. */
const soonMs = 500;

/** The one search of the header: by its button, `/`, and Ctrl+K. Its script comes behind that of the page. */
export function Search({ pages }: { readonly pages: readonly Page[] }) {
  const { search } = words.value;
  const [path] = useLocation();
  const [shown, show] = useState<'search' | Creation>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever it led, it has done its work
  useEffect(() => show(undefined), [path]);
  const [begun, begin] = useState(nothing);
  const [, setLoaded] = useState(parts !== undefined);
  const open = async () => {
    begin(nothing);
    // At once, with what finds anything behind it: whoever presses Ctrl+K goes on typing.
    show('search');
    if (parts) return;
    if (await attempt(load)) setLoaded(true);
    else show(undefined);
  };
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), soonMs);
    return () => clearTimeout(timer);
  }, []);
  useKeys((event) => {
    const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const isSlash = event.key === '/' && isForPage(event);
    if ((!isShortcut && !isSlash) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    void open();
  });
  useShortcuts((kind) => {
    void attempt(async () => {
      await load();
      show(kind);
    });
  });
  const close = () => show(undefined);
  const Creating: FunctionComponent<{ onClose: () => void }> | undefined =
    shown && shown !== 'search' ? parts?.creations[shown] : undefined;
  return (
    <>
      <button
        type="button"
        class="find-open"
        aria-keyshortcuts="Control+K /"
        onClick={() => void open()}
      >
        <Icon name="search" />
        <span>{search.title}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {shown === 'search' &&
        (parts ? (
          <parts.SearchDialog begun={begun} pages={pages} onAction={show} onClose={close} />
        ) : (
          <SearchWindow
            typed={begun.typed}
            onTyped={(typed) => begin({ typed, isEntered: false })}
            onKeyDown={({ key }) => key === 'Enter' && begin({ ...begun, isEntered: true })}
            onClose={close}
          />
        ))}
      {Creating && <Creating onClose={close} />}
    </>
  );
}
