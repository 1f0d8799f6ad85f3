import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.ts';

const paths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Whether a request only asks how the process is. */
export const isHealthCheck = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
  paths.has(url);

/**
 * Adds what an orchestrator asks, without a token: `/livez`, whether the process answers, and
 * `/readyz`, whether it should get requests.
 * @param obstacle why it should not; null when it should. May throw: then the database is down
 */
export function addHealth(server: FastifyInstance, obstacle: () => Promise<string | null>): void {
  server.get('/livez', { logLevel: 'silent' }, async (_, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/readyz', { logLevel: 'silent' }, async (_, reply) => {
    reply.header('cache-control', 'no-store');
    const reason = await obstacle().catch(() => 'the database cannot be reached');
    if (reason !== null) throw new Fault('UNAVAILABLE', [`Not ready: ${reason}`]);
    return { status: 'ok' };
  });
}
