import type { ComponentChildren } from 'preact';

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
}) => (
  <header class="page-header">
    <div>
      <h1>{title}</h1>
      {about && <p>{about}</p>}
    </div>
    {children && <div class="page-actions">{children}</div>}
  </header>
);
