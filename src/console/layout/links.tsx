import { graphiql } from '../settings.ts';
import { words } from '../words/words.ts';

/** The way to what programs use. */
export const ApiLinks = () => (
  <div class="api-links">
    <a href="/docs">{words.value.shell.rest}</a>
    {graphiql && <a href="/graphiql">GraphiQL</a>}
  </div>
);
