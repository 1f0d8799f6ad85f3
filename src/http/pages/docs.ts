/** The REST documentation: the OpenAPI document, and Swagger UI to read it and try it out. */
import type { FastifyInstance } from 'fastify';
import { addAsset, pageFile } from './asset.ts';
import { addPage } from './page.ts';
import { serve } from './serve.ts';

/**
 * Adds `GET /openapi.json` and `GET /docs`.
 * @param document an OpenAPI document
 */
export function addDocs(server: FastifyInstance, document: object): void {
  const file = (name: string) => addAsset(server, name, pageFile(name));
  addPage(server, '/docs', {
    title: 'REST documentation, Sales CRM',
    styles: [file('swagger-ui.css'), file('docs_page.css')],
    scripts: [file('swagger-ui.js'), file('docs_page.js')],
    addsStyles: false,
    data: {},
  });
  serve(
    server,
    '/openapi.json',
    { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
    JSON.stringify(document),
  );
}
