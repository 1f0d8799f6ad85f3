/** Files that pages load, all from this service. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { packageDirectory } from '../../lib/directories.ts';
import { type AddFile, type Content, openFolder } from './serve.ts';

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

/** What pages load. */
export class Assets {
  readonly #addFile: AddFile;

  constructor(server: FastifyInstance) {
    this.#addFile = openFolder(server, '/assets/');
  }

  /**
   * Serves content at an address that changes with it, so that browsers may cache it for ever.
   * @param name what the address ends with; its extension decides the content type
   * @param source what the content is made of, where it is made when somebody first asks for it
   * @returns the address, a path
   */
  add(name: string, content: Content, source: Content = content): string {
    const text = typeof source === 'function' ? source() : source;
    const version = createHash('sha256').update(text).digest('hex').slice(0, 16);
    return this.addAt(`${version}/${name}`, content);
  }

  /**
   * Serves content at an address that no other content will ever have.
   * @returns the address, a path
   */
  addAt(path: string, content: Content): string {
    const type = types[path.slice(path.lastIndexOf('.') + 1)];
    if (!type) throw new Error(`${path} is of no known type`);
    const headers = {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    };
    this.#addFile(path, headers, content);
    return `/assets/${path}`;
  }
}
