import Fastify, { type FastifyInstance } from 'fastify';
import { takeJson } from './body.ts';
import { Connections } from './connections.ts';
import { addHealth } from './health.ts';
import { answerAlike, createListener } from './listener.ts';
import { refuseOtherMethods } from './methods.ts';
import { requestId } from './request_id.ts';
import { answerUnreadable } from './unreadable.ts';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** See {@link addHealth}. */
  readonly obstacle: () => Promise<string | null>;
  /** In Prometheus's text format. */
  readonly metrics: () => Promise<string>;
}

/** Those who look after the service are few. */
const mostConnections = 100;

/**
 * A second port, without TLS and tokens, for those who look after the service: its health and
 * its metrics, and nothing of any account.
 */
export async function openAdmin(options: AdminOptions): Promise<FastifyInstance> {
  const connections = new Connections(mostConnections);
  const admin = Fastify({
    serverFactory: (listener) => createListener(listener, undefined, connections),
    // Whoever only holds a connection must not hold the end of the process.
    forceCloseConnections: true,
    genReqId: requestId,
    clientErrorHandler: answerUnreadable,
  });
  answerAlike(admin);
  takeJson(admin);
  const refuseOthers = refuseOtherMethods(admin);
  addHealth(admin, options.obstacle);
  admin.get('/metrics', async (_, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return options.metrics();
  });
  refuseOthers();
  await admin.listen({ host: options.host, port: options.port });
  return admin;
}
