import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.ts';

/** Stands for every method that no route has: Node reads three dozen of them. */
const anyOther = 'TRACE';

const routed: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  anyOther,
]);

/** The method by which the route of a request is found. */
export const routedMethod = (method = ''): string => (routed.has(method) ? method : anyOther);

/**
 * Has every path that is known answer with 405, and the methods that it has, to all others.
 * @param server without routes yet
 * @returns to be called when it has all of them
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
      server.route({
        method: [...routed].filter((method) => !known.has(method)),
        url,
        handler: (_, reply) => {
          reply.header('allow', allow);
          throw new Fault('METHOD_NOT_ALLOWED');
        },
      });
    }
  };
}
