/** The console: one page for all its addresses, and the files that the build made of src/console. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { packageDirectory } from '../../lib/directories.ts';
import { type Assets, pageFile } from './assets.ts';
import { addPage } from './page.ts';
import { serve } from './serve.ts';

/** Names of files, as src/console/build.mjs tells them. */
interface Entry {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** Built for browsers, so it is in `dist/` alone. */
const directory = new URL('dist/console/', packageDirectory);
const readAsset = (file: string): Buffer => readFileSync(new URL(file, directory));

/**
 * Adds `GET /console`, all paths below it, its icon, and `/`, which leads there.
 * @param graphiql whether the page may lead to GraphiQL
 */
export function addConsole(server: FastifyInstance, assets: Assets, graphiql: boolean): void {
  const address = (file: string) => `/assets/console/${file}`;
  for (const file of readdirSync(fileURLToPath(directory))) {
    if (file !== 'entry.json') assets.addAt(`console/${file}`, readAsset(file));
  }
  const { script, style, icon }: Entry = JSON.parse(readAsset('entry.json').toString('utf8'));
  for (const url of ['/console', '/console/*']) {
    addPage(server, url, {
      title: 'Sales CRM',
      icon: address(icon),
      styles: [address(style)],
      scripts: [],
      module: address(script),
      addsStyles: false,
      data: { graphiql: String(graphiql) },
    });
  }
  // Beneath the console, whose pages it may then lead to.
  serve(
    server,
    '/console/push.js',
    { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
    pageFile('push_worker.js'),
  );
  // Browsers ask for it where no page names an icon, beside an answer in JSON.
  serve(
    server,
    '/favicon.ico',
    { 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' },
    readAsset(icon),
  );
  server.get('/', async (_, reply) =>
    reply.header('cache-control', 'no-cache').redirect('/console'),
  );
}
