import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiLinks } from '../../layout/links.tsx';

/** What is around the pages that need nobody to be signed in. */
export function Frame({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Sales CRM`;
  }, [title]);
  return (
    <main class="alone">
      <section class="card">
        <p class="mark">Sales CRM</p>
        <h1>{title}</h1>
        {children}
      </section>
      <ApiLinks />
    </main>
  );
}
