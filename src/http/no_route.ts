/** Paths that there are not. */
import type { FastifyInstance } from 'fastify';
import { noRoute } from '../errors.ts';
import { didYouMean } from '../nearest.ts';

/** More slips than these make another path. */
const mostSlips = 4;

/** Refuses unknown paths, with the known one that is most like them. */
export function refuseUnknownPaths(server: FastifyInstance): void {
  const known = new Map<string, string>();
  server.addHook('onRoute', ({ url }) => {
    known.set(plain(url), shown(url));
  });
  server.setNotFoundHandler(({ url }) => {
    const path = plain(url.replace(/\?.*$/s, ''));
    throw noRoute(didYouMean(path, known.keys(), { most: mostSlips, as: known }));
  });
}

/** A path without what tells one record from another. */
const plain = (path: string): string =>
  path
    .slice(0, 200)
    .replaceAll(/\/+/g, '/')
    .replaceAll(/\/(?::\w+|\d+)(?=\/|$)/g, '/0');

/** A route as documents write it. */
export const shown = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');
