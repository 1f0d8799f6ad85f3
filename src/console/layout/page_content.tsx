import { useEffect, useErrorBoundary } from 'preact/hooks';
import { asRefusal } from '../api/refusal.ts';
import { useLoad } from '../api/use_load.ts';
import { who } from '../api/who.ts';
import { RefusalNotice } from '../components/refusal_notice.tsx';
import { isBack } from '../components/scroll_places.ts';
import type { Page, PageProps } from '../page.ts';
import { words } from '../words/words.ts';

/** A page, once its script has run. */
export function PageContent({
  page,
  params,
}: {
  readonly page: Page;
  readonly params: PageProps['params'];
}) {
  const { data, refusal } = useLoad(async () => ({ page, Content: await page.load() }), page.path);
  const [error] = useErrorBoundary();
  const title = page.title(words.value);
  useEffect(() => {
    document.title = `${title} · ${who.value?.account.name ?? ''}`;
  }, [title]);
  const isHere = data?.page === page;
  useEffect(() => {
    if (!isHere) return;
    if (!isBack()) scrollTo(0, 0);
    // People who use the keyboard or a screen reader go on where the page begins.
    const main = document.getElementById('main');
    (main?.querySelector<HTMLElement>('[autofocus]') ?? main)?.focus({ preventScroll: true });
  }, [isHere]);
  const failed = error === undefined ? refusal : asRefusal(error);
  if (failed) return <RefusalNotice refusal={failed} again={() => location.reload()} />;
  if (!data || !isHere) return <p class="loading">{words.value.shell.loading}</p>;
  return <data.Content params={params} />;
}
