import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../auth/sessions.ts';
import type { Verifier } from '../auth/verifier.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Source } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';
import { requireOwnPage, secretIn } from './headers/session_cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once {@link identify} has found out. */
    viewer?: Viewer;
    /** Milliseconds that it took to find out. */
    identifyingMs: number;
  }
}

/** Who calls, on a route that identifies its callers. */
export function viewerOf({ viewer }: Pick<FastifyRequest, 'viewer'>): Viewer {
  if (!viewer) throw new Error('a request came without its viewer');
  return viewer;
}

/** Where a request comes from. */
export const sourceOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Source => ({
  ip,
  userAgent: headers['user-agent'] ?? '',
});

const authorizationName = 'authorization';
const isAuthorization = (name: string): boolean =>
  name.length === authorizationName.length && name.toLowerCase() === authorizationName;

/** Whether there are several such headers: Node keeps the first, but the client may have meant any. */
function isAmbiguous({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (isAuthorization(rawHeaders[at] ?? '')) count += 1;
  }
  return count > 1;
}

/**
 * Authenticates the request by its token. The answer is only for this viewer, so no cache may
 * keep it.
 * @returns undefined where that is known already, so that nothing waits for a promise without need
 * @throws {Fault} UNAUTHENTICATED, the same for every reason; UNAVAILABLE
 */
export function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  verifier: Verifier,
): Promise<void> | undefined {
  reply.header('cache-control', 'no-store');
  const { authorization } = request.headers;
  if (authorization === undefined || isAmbiguous(request.raw)) throw unauthenticated();
  const known = verifier.known(authorization);
  if (!known) return noteViewer(request, () => verifier.verify(authorization));
  request.viewer = known;
  return undefined;
}

/** Waits until it is known who calls, and notes how long that took. */
async function noteViewer(request: FastifyRequest, ask: () => Promise<Viewer>): Promise<void> {
  const began = performance.now();
  request.viewer = await ask();
  request.identifyingMs = performance.now() - began;
}

/**
 * The same where a person who signed in may call, too: by the cookie, unless the request has a token.
 * @throws {Fault} FORBIDDEN for a cookie that does not come from a page of this service
 */
export async function identifyPerson(
  request: FastifyRequest,
  reply: FastifyReply,
  verifier: Verifier,
  sessions: Sessions,
): Promise<void> {
  const secret = request.headers.authorization === undefined ? secretIn(request) : undefined;
  if (secret === undefined) return identify(request, reply, verifier);
  reply.header('cache-control', 'no-store');
  requireOwnPage(request);
  await noteViewer(request, async () => (await sessions.verify(secret)).viewer);
}
