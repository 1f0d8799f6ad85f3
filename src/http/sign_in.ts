/** `/session`: people sign in, see whether they are signed in, and sign out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientOf } from '../auth/client.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Viewer } from '../auth/viewer.ts';
import { refuseDryRun } from '../context/dry_run.ts';
import { Fault, signedOut } from '../errors/errors.ts';
import { bodyObject } from './body.ts';
import { wantsDryRun } from './headers/preferences.ts';
import {
  noSessionCookie,
  requireOwnPage,
  secretIn,
  sessionCookie,
} from './headers/session_cookie.ts';

/** Whether the refusal means to come back later, whatever was sent. */
const isTurnedAway = (error: unknown): boolean =>
  error instanceof Fault && ['TOO_MANY_REQUESTS', 'UNAVAILABLE'].includes(error.code);

/** A session as its browser sees it. */
interface SessionBody {
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
  ) => Promise<SessionBody & { readonly secret: string }>;
  /** Ends the session by which a viewer is known. */
  readonly end: (request: FastifyRequest, viewer: Viewer) => Promise<void>;
}

/**
 * How long clients wait that were refused within the last `forMs`, in milliseconds: otherwise refusing those
 * that ask without end would take up the processor. They wait before they take up a place.
 */
const pause = { ms: 500, forMs: 5000 } as const;

/**
 * Bytes that a body has at most, unpacked: many times what an address or a code and passwords take. It is read
 * before the attempt counts, whoever sends it.
 */
const largestBody = 16 * 1024;

/**
 * Adds the routes of `/session`, each for the service's own pages only (403 for others):
 * `POST` signs in and sets the cookie, 201, and takes 16 KiB at most (413); `GET` says whose session the cookie
 * is, 200 or 401; `DELETE` ends it and clears the cookie, 204 whether or not there was one.
 */
export function addSession(server: FastifyInstance, options: SessionOptions): void {
  const { sessions, open, end } = options;
  const refused = new LRUCache<string, true>({ max: 10_000, ttl: pause.forMs });
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
    {
      onRequest: async (request, reply) => {
        await onRequest(request, reply);
        if (refused.has(clientOf(request.ip))) await sleep(pause.ms);
      },
      config: { takesBody: true, takesRecord: true },
      bodyLimit: Math.min(server.initialConfig.bodyLimit ?? largestBody, largestBody),
    },
    async (request, reply) => {
      refuseDryRun({ isDryRun: wantsDryRun(request) });
      const opening = open(request, bodyObject(request.body));
      const { secret, ...session } = await opening.catch((error: unknown) => {
        if (isTurnedAway(error)) refused.set(clientOf(request.ip), true);
        throw error;
      });
      // The person who was signed in with this browser before is signed out.
      await endOwn(request);
      reply.status(201).header('set-cookie', sessionCookie(secret));
      return session;
    },
  );

  server.get('/session', { onRequest }, async (request): Promise<SessionBody> => {
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
    refuseDryRun({ isDryRun: wantsDryRun(request) });
    await endOwn(request);
    return reply.status(204).header('set-cookie', noSessionCookie).send();
  });
}
