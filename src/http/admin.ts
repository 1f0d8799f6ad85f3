import Fastify, { type FastifyInstance } from 'fastify';
import { notFound } from '../errors.ts';
import { answerError } from './errors.ts';
import { addHealth } from './health.ts';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** See {@link addHealth}. */
  readonly obstacle: () => Promise<string | null>;
  /** In Prometheus's text format. */
  readonly metrics: () => Promise<string>;
}

/**
 * A second port, without TLS and tokens, for those who look after the service: its health and
 * its metrics, and nothing of any account.
 */
export async function openAdmin(options: AdminOptions): Promise<FastifyInstance> {
  // Whoever only holds a connection must not hold the end of the process.
  const admin = Fastify({ forceCloseConnections: true });
  admin.setErrorHandler(answerError);
  admin.setNotFoundHandler(() => {
    throw notFound();
  });
  addHealth(admin, options.obstacle);
  admin.get('/metrics', async (_, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return options.metrics();
  });
  await admin.listen({ host: options.host, port: options.port });
  return admin;
}
