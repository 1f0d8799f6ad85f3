/** The REST documentation: the OpenAPI document, and Swagger UI to read it and try it out. */
import type { FastifyInstance } from 'fastify';
import { addAsset, ownFile, packageFile } from './asset.ts';
import { addPage } from './page.ts';
import { serve } from './serve.ts';

/**
 * Adds `GET /openapi.json` and `GET /docs`.
 * @param document an OpenAPI document
 */
export function addDocs(server: FastifyInstance, document: object): void {
  const asset = (name: string, content: Buffer | string) => addAsset(server, name, content);
  addPage(server, '/docs', {
    title: 'REST documentation, Sales CRM',
    styles: [
      asset('swagger-ui.css', packageFile('swagger-ui-dist', 'swagger-ui.css')),
      asset('docs_page.css', ownFile('docs_page.css')),
    ],
    scripts: [
      asset('swagger-ui.js', packageFile('swagger-ui-dist', 'swagger-ui-bundle.js')),
      asset('docs_page.js', ownFile('docs_page.js')),
    ],
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
