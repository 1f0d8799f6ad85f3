/** The documentation: the guides, and the OpenAPI document with Swagger UI to read it and try it out. */
import type { FastifyInstance } from 'fastify';
import { noRoute } from '../../errors/errors.ts';
import { type Assets, pageFile } from './assets.ts';
import { addClient } from './client.ts';
import { addGuides, listOf, readGuides } from './guides.ts';
import { addPage } from './page.ts';
import { sender } from './serve.ts';

/** An OpenAPI document, whole and by its tags. */
export interface Documentation {
  whole(): object;
  tags(): readonly string[];
  /** @returns undefined for a tag that there is not */
  part(tag: string): object | undefined;
}

const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' };

/** Adds `GET /openapi.json`, `GET /docs`, what the guides are served by, and `GET /client.tgz`. */
export function addDocs(
  server: FastifyInstance,
  assets: Assets,
  documentation: Documentation,
): void {
  const file = (name: string) => assets.add(name, pageFile(name));
  const guides = readGuides();
  const index = guides.map(({ name, title, markdown }) => ({
    name,
    text: `${title}\n${markdown}`,
  }));
  addPage(server, '/docs', {
    title: 'Documentation, Sales CRM',
    styles: [file('swagger-ui.css'), file('docs_page.css')],
    scripts: [file('swagger-ui.js'), file('docs_page.js')],
    addsStyles: false,
    data: { guides: assets.add('guides.json', JSON.stringify(index)) },
    before: `<nav class="guides" aria-label="Guides"><input type="search" placeholder="Search the guides" aria-label="Search the guides">${listOf(guides)}</nav>
`,
  });
  addGuides(server, assets, guides, documentation.tags);
  addClient(server);
  addOpenapi(server, documentation);
}

function addOpenapi(server: FastifyInstance, { whole, part }: Documentation): void {
  const sendWhole = sender(json, () => JSON.stringify(whole()));
  /** Those that were asked for; there are as many as tags. */
  const parts = new Map<string, ReturnType<typeof sender>>();
  server.get<{ Querystring: { tag?: unknown } }>('/openapi.json', (request, reply) => {
    const { tag } = request.query;
    if (tag === undefined || tag === '') return sendWhole(request, reply);
    const known = typeof tag === 'string' ? parts.get(tag) : undefined;
    if (known) return known(request, reply);
    const document = typeof tag === 'string' ? part(tag) : undefined;
    if (!document) throw noRoute();
    const send = sender(json, JSON.stringify(document));
    parts.set(String(tag), send);
    return send(request, reply);
  });
}
