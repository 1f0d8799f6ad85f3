import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.ts';

/**
 * Limits the requests of one token (without one, of one address) in this process.
 * @param perMinute how many a minute; null for no limit
 */
export async function limitRate(server: FastifyInstance, perMinute: number | null): Promise<void> {
  if (perMinute === null) return;
  await server.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: (request) => request.headers.authorization ?? request.ip,
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
    errorResponseBuilder: () => new Fault('TOO_MANY_REQUESTS'),
  });
}
