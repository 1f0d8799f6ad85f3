/** Paths that there are not. */
import type { FastifyInstance } from 'fastify';
import { didYouMean } from '../errors/did_you_mean.ts';
import { noRoute } from '../errors/errors.ts';

/** More slips than these make another path. */
const maxSlips = 4;

/** Refuses unknown paths, with the known one that is most like them. */
export function refuseUnknownPaths(server: FastifyInstance): void {
  const known = new Map<string, string>();
  server.addHook('onRoute', ({ url }) => {
    known.set(plain(url), routeTemplate(url));
  });
  server.setNotFoundHandler(({ url }) => {
    const path = plain(url.replace(/\?.*$/s, ''));
    const meant = didYouMean(path, known.keys(), { max: maxSlips, as: known });
    throw noRoute(meant || completed(path, known));
  });
}

/** The shortest known path that has all of an unknown one's segments, in their order, and more. */
function completed(path: string, known: ReadonlyMap<string, string>): string {
  const parts = segments(path);
  const isPart = (whole: readonly string[]) => {
    let matches = 0;
    for (const segment of whole) if (segment === parts[matches]) matches += 1;
    return matches === parts.length;
  };
  const longer = [...known].filter(([name]) => parts.length > 1 && isPart(segments(name)));
  const [first] = longer.sort(([one], [other]) => segments(one).length - segments(other).length);
  return first ? ` (did you mean ${first[1]}?)` : '';
}

const segments = (path: string): readonly string[] => path.split('/').filter(Boolean);

/** A path with every id alike, to compare paths by their routes. */
const plain = (path: string): string =>
  path
    .slice(0, 200)
    .replaceAll(/\/+/g, '/')
    .replaceAll(/\/(?::\w+|\d+)(?=\/|$)/g, '/0');

/** A route as documents write it. */
export const routeTemplate = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');
