import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Verifier } from '../auth/verifier.ts';
import type { Viewer } from '../auth/viewer.ts';
import { unauthenticated } from '../errors.ts';

/**
 * Who calls, by the request's token. The answer will hold what only the viewer may see, so nothing
 * on its way may keep it.
 * @throws {Fault} UNAUTHENTICATED, the same for every reason; UNAVAILABLE
 */
export async function viewerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  verifier: Verifier,
): Promise<Viewer> {
  reply.header('cache-control', 'no-store');
  const { authorization } = request.headers;
  // Node keeps the first of two headers; two are a request that may mean either.
  const given = request.raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  );
  if (authorization === undefined || given.length !== 1) throw unauthenticated();
  return verifier.verify(authorization);
}
