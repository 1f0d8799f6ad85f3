import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Verifier } from '../auth/verifier.ts';
import type { Viewer } from '../auth/viewer.ts';
import { unauthenticated } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once {@link identify} has found out. */
    viewer?: Viewer;
    /** Milliseconds that it took to find out. */
    identifyingMs: number;
  }
}

/** Who calls, on a route that identifies its callers. */
export function viewerOf({ viewer }: FastifyRequest): Viewer {
  if (!viewer) throw new Error('a request came without its viewer');
  return viewer;
}

/**
 * Finds out who calls, by the request's token. The answer is for the viewer alone, so no cache may
 * keep it.
 * @throws {Fault} UNAUTHENTICATED, the same for every reason; UNAVAILABLE
 */
export async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  verifier: Verifier,
): Promise<Viewer> {
  reply.header('cache-control', 'no-store');
  const { authorization } = request.headers;
  // Node keeps the first of two such headers, but the client may have meant either.
  const given = request.raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  );
  if (authorization === undefined || given.length !== 1) throw unauthenticated();
  const began = performance.now();
  request.viewer = await verifier.verify(authorization);
  request.identifyingMs = performance.now() - began;
  return request.viewer;
}
