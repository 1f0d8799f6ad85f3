import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors/errors.ts';

const paths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Whether a request is a health check. */
export const isHealthCheck = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
  paths.has(url.replace(/\?.*/, ''));

/** The obstacle when even asking the database failed. */
export const unreachable = () => 'the database cannot be reached';

/**
 * Shares an answer among all calls made before it has come and in the half second after, so that frequent
 * checks cost little.
 */
export function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    if (answer) return answer;
    answer = ask();
    const forget = () => void setTimeout(() => (answer = undefined), 500).unref();
    answer.then(forget, forget);
    return answer;
  };
}

/**
 * Adds what an orchestrator asks, without a token: `/livez`, whether the process answers, and
 * `/readyz`, whether it should get requests.
 * @param obstacle why it should not; null when it should. If it throws, the database is down
 */
export function addHealth(server: FastifyInstance, obstacle: () => Promise<string | null>): void {
  const options = { logLevel: 'silent', config: { isCounted: false } } as const;
  server.get('/livez', options, async (_, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/readyz', options, async (_, reply) => {
    reply.header('cache-control', 'no-store');
    const reason = await obstacle().catch(unreachable);
    if (reason !== null) throw new Fault('UNAVAILABLE', [`Not ready: ${reason}`]);
    return { status: 'ok' };
  });
}
