import { Redirect, Route, Switch } from 'wouter-preact';
import { isInterrupted } from '../api/session.ts';
import { useLoad } from '../api/use_load.ts';
import { isAdmin, readWho, who } from '../api/who.ts';
import { Confirmation } from '../components/confirm.tsx';
import { RefusalNotice } from '../components/refusal_notice.tsx';
import { Toasts } from '../components/toast.tsx';
import type { Page } from '../page.ts';
import { pages } from '../pages.ts';
import { languageFor, speak, words } from '../words/words.ts';
import { Interruption } from './interruption.tsx';
import { Navigation } from './navigation.tsx';
import { NotFound } from './not_found.tsx';
import { PageContent } from './page_content.tsx';

const start = async () => {
  await readWho();
  if (who.value) await speak(languageFor([who.value.me.user.language]));
};

/** What is around every page, for a person who is signed in. */
export function Shell() {
  const { refusal, reload } = useLoad(start, '');
  const { shell } = words.value;
  const visible = pages.filter((page) => isAdmin.value || !page.isForAdmins);
  return (
    <>
      {who.value ? (
        <div class="shell">
          <a class="skip" href="#main">
            {shell.skip}
          </a>
          <Navigation pages={visible} />
          <main id="main" tabIndex={-1}>
            <Pages pages={visible} />
          </main>
        </div>
      ) : (
        <main class="alone">
          {refusal ? (
            <RefusalNotice refusal={refusal} again={reload} />
          ) : (
            <p class="loading">{shell.loading}</p>
          )}
        </main>
      )}
      <Toasts />
      <Confirmation />
      {isInterrupted.value && <Interruption />}
    </>
  );
}

const Pages = ({ pages }: { readonly pages: readonly Page[] }) => (
  <Switch>
    {pages.map((page) => (
      <Route key={page.path} path={page.path}>
        {(params) => <PageContent page={page} params={params} />}
      </Route>
    ))}
    <Route path="/">
      <Redirect to={pages[0]?.path ?? '/profile'} replace />
    </Route>
    <Route>
      <NotFound />
    </Route>
  </Switch>
);
