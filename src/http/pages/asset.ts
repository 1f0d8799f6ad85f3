/** Files that pages load, all from this service. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { packageDirectory } from '../../lib/directories.ts';
import { serve } from './serve.ts';

const files = new Map<string, Buffer>();

/**
 * The content of a file that a page loads, one of its own or of a package; the build puts them side by side.
 * Each is read once.
 */
export function pageFile(name: string): Buffer {
  const content =
    files.get(name) ?? readFileSync(new URL(`dist/http/pages/${name}`, packageDirectory));
  files.set(name, content);
  return content;
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/**
 * Serves content at an address that changes with it, so that browsers may cache it for ever.
 * @param name what the address ends with; its extension decides the content type
 * @returns the address, a path
 */
export function addAsset(server: FastifyInstance, name: string, content: Buffer | string): string {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const url = `/assets/${version}/${name}`;
  serveAsset(server, url, content);
  return url;
}

/** Serves content at an address that no other content will ever have. */
export function serveAsset(server: FastifyInstance, url: string, content: Buffer | string): void {
  const type = types[url.slice(url.lastIndexOf('.') + 1)];
  if (!type) throw new Error(`${url} is of no known type`);
  serve(
    server,
    url,
    {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    },
    content,
  );
}
