/** Where a browser begins. */
import type { FastifyInstance } from 'fastify';
import { addAsset, ownFile } from './asset.ts';
import type { Link } from './links.ts';
import { addPage } from './page.ts';

/** Adds `GET /`. */
export function addHome(server: FastifyInstance, links: readonly Link[]): void {
  const items = links.map(
    ({ path, title, purpose }) =>
      `<li><a href="${path}">${title}</a><span>${purpose}</span><code>${path}</code></li>`,
  );
  addPage(server, '/', {
    title: 'Sales CRM',
    styles: [addAsset(server, 'home_page.css', ownFile('home_page.css'))],
    scripts: [],
    data: {},
    content: `<main>
<h1>Sales CRM</h1>
<ul>
${items.join('\n')}
</ul>
<p>Every request for data needs a token. On the machine that runs the service, this makes one:</p>
<pre>npm run --silent crm -- token create --email admin@example.com</pre>
</main>`,
  });
}
