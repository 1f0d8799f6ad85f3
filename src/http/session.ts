/** `/session`: people sign in, see whether they are, and sign out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../auth/sessions.ts';
import type { Viewer } from '../auth/viewer.ts';
import { Fault, signedOut } from '../errors.ts';
import { bodyObject } from './body.ts';
import { noSessionCookie, requireOwnPage, secretIn, sessionCookie } from './session_cookie.ts';

/** A session as its browser is told of it. */
interface Told {
  readonly account_id: number;
  readonly user_id: number;
  /** When it ends unless it is used until then: ISO 8601. */
  readonly expires_at: string;
}

interface SessionOptions {
  readonly sessions: Sessions;
  /** Lets somebody in, by what the body proves; throws a fault otherwise. */
  readonly open: (
    request: FastifyRequest,
    body: Readonly<Record<string, unknown>>,
  ) => Promise<Told & { readonly secret: string }>;
  /** Ends the session by which a viewer is known. */
  readonly end: (request: FastifyRequest, viewer: Viewer) => Promise<void>;
}

export function addSession(server: FastifyInstance, options: SessionOptions): void {
  const { sessions, open, end } = options;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store');
    requireOwnPage(request);
  };

  /** Ends the session of the request's cookie, if it is one. */
  const endOwn = async (request: FastifyRequest) => {
    const secret = secretIn(request);
    if (secret === undefined) return;
    const signedIn = await sessions.verify(secret).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'UNAUTHENTICATED') return undefined;
      throw error;
    });
    if (signedIn) await end(request, signedIn.viewer);
  };

  server.post(
    '/session',
    { onRequest, config: { takesBody: true, takesRecord: true } },
    async (request, reply) => {
      const { secret, ...told } = await open(request, bodyObject(request.body));
      // Who was signed in at this browser is so no longer.
      await endOwn(request);
      reply.status(201).header('set-cookie', sessionCookie(secret));
      return told;
    },
  );

  server.get('/session', { onRequest }, async (request): Promise<Told> => {
    const secret = secretIn(request);
    if (secret === undefined) throw signedOut();
    const { viewer, until } = await sessions.verify(secret);
    return {
      account_id: viewer.accountId,
      user_id: viewer.userId,
      expires_at: new Date(until).toISOString(),
    };
  });

  server.delete('/session', { onRequest }, async (request, reply) => {
    await endOwn(request);
    return reply.status(204).header('set-cookie', noSessionCookie).send();
  });
}
