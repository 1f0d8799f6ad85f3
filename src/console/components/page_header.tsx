import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { who } from '../api/who.ts';

/** What a page is, and what can be done on it. */
export const PageHeader = ({
  title,
  about,
  children,
}: {
  readonly title: string;
  /** One sentence, for somebody who is here for the first time. */
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => {
  useEffect(() => {
    document.title = `${title} · ${who.value?.account.name ?? ''}`;
  }, [title]);
  return (
    <header class="page-header">
      <div>
        <h1>{title}</h1>
        {about && <p>{about}</p>}
      </div>
      {children && <div class="page-actions">{children}</div>}
    </header>
  );
};
