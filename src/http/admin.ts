import cluster from 'node:cluster';
import Fastify, { type FastifyInstance } from 'fastify';
import { secretsOf } from '../auth/secret.ts';
import type { Config } from '../config/config.ts';
import { takeJson } from './body.ts';
import { requestId } from './headers/request_id.ts';
import { addHealth } from './health.ts';
import { Connections } from './limits/connections.ts';
import { answerAlike, createListener } from './listener.ts';
import { answerUnreadable } from './malformed_requests.ts';
import { refuseOtherMethods } from './methods.ts';
import { addTop, type Top } from './top.ts';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** See {@link addHealth}. */
  readonly obstacle: () => Promise<string | null>;
  /** In Prometheus's text format. */
  readonly metrics: () => Promise<string>;
  /** Who has used most of late. */
  readonly top: () => Promise<Top>;
  /** Those that the service signs with, by which an operator is known. */
  readonly secrets: () => Promise<readonly string[]>;
}

/** Few people and programs look after the service. */
const maxConnections = 100;

/**
 * A second port, without TLS and tokens, for operators: health and metrics, and no data of any
 * account. Which accounts and tokens are heavy is told to those who know the secret.
 */
export async function openAdmin(options: AdminOptions): Promise<FastifyInstance> {
  const connections = new Connections(maxConnections);
  const admin = Fastify({
    serverFactory: (listener) => createListener(listener, undefined, connections),
    // An idle connection must not keep the process from exiting.
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
  addTop(admin, options.top, options.secrets);
  refuseOthers();
  await admin.listen({ host: options.host, port: options.port });
  return admin;
}

/**
 * Opens it where it is wanted, unless a supervisor does, which has it for its workers.
 */
export async function adminOf(
  config: Config,
  options: Omit<AdminOptions, 'host' | 'port' | 'secrets'>,
): Promise<FastifyInstance | undefined> {
  const { adminPort: port, adminHost: host } = config;
  if (port === undefined || cluster.isWorker) return undefined;
  return openAdmin({ ...options, host, port, secrets: () => secretsOf(config) });
}
