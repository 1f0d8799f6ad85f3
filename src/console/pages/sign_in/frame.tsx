import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { graphiql } from '../../settings.ts';
import { words } from '../../words/words.ts';

/** What is around the pages that need nobody to be signed in. */
export function Frame({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const { signIn } = words.value;
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
      <footer>
        <a href="/docs">{signIn.rest}</a>
        {graphiql && <a href="/graphiql">GraphiQL</a>}
        <a href="/openapi.json">OpenAPI</a>
      </footer>
    </main>
  );
}
