import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors/errors.ts';
import { routeTemplate } from './no_route.ts';

/** Stands for every method that no route has, of which Node knows three dozen. */
const anyOther = 'TRACE';

const routed: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  anyOther,
]);

/** The method by which a request's route is found. */
export const routedMethod = (method = ''): string => (routed.has(method) ? method : anyOther);

/**
 * Makes every known path answer 405, with its methods in `Allow`, to all other methods.
 * @param server without routes yet
 * @returns a function to call once all routes are added
 */
export function refuseOtherMethods(server: FastifyInstance): () => void {
  const paths = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ method, url }) => {
    const known = paths.get(url) ?? new Set();
    paths.set(url, known);
    for (const one of [method].flat()) known.add(one);
  });
  return () => {
    for (const [url, known] of [...paths]) {
      const allow = [...known].join(', ');
      const search = `${url}/search`;
      const methods = paths.has(search)
        ? `; records are found by GET or POST ${routeTemplate(search)}`
        : '';
      server.route({
        method: [...routed].filter((method) => !known.has(method)),
        url,
        handler: (_, reply) => {
          reply.header('allow', allow);
          throw new Fault('METHOD_NOT_ALLOWED', [`This path has ${allow}${methods}`]);
        },
      });
    }
  };
}
