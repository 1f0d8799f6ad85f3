import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Viewer } from '../auth/viewer.ts';
import { Fault } from '../errors.ts';

const callerOf = ({ tokenId, sessionId }: Viewer) =>
  tokenId === null ? `session ${sessionId}` : `token ${tokenId}`;

/**
 * Limits the requests of one token or session in this process, or of one address on routes without tokens.
 * Requests that are refused for their token are not counted.
 * @param perMinute requests per minute; null for no limit
 */
export async function limitRate(server: FastifyInstance, perMinute: number | null): Promise<void> {
  if (perMinute === null) return;
  await server.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: ({ viewer, ip }) => (viewer ? callerOf(viewer) : ip),
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
    errorResponseBuilder: () => new Fault('TOO_MANY_REQUESTS'),
  });
}
