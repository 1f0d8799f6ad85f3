/** The listener: TLS, request ids, limits, errors. What it serves is added by others. */
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config.ts';
import { Fault, notFound } from '../errors.ts';
import type { Answers } from './answers.ts';
import { takeJson } from './body.ts';
import { answerError, answerUnreadable } from './errors.ts';
import type { LoadBound } from './overload.ts';
import { limitRate } from './rate.ts';
import { requestId } from './request_id.ts';
import { RequestLog } from './request_log.ts';

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ServerOptions {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  /** Undefined behind a proxy that terminates TLS. */
  readonly tls: Tls | undefined;
  readonly bound: LoadBound;
  readonly answers: Answers;
}

/** In milliseconds. A client that sends slowly holds a connection, no more. */
const patience = {
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 65_000,
} as const;

const listenerOf = (listener: RequestListener, tls: Tls | undefined): Server =>
  tls
    ? createTlsServer({ ...tls, ...patience, minVersion: 'TLSv1.2' }, listener)
    : createPlainServer(patience, listener);

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { config, log, tls, bound, answers } = options;
  const server: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (
      parent: FastifyBaseLogger,
      ...bindings: Parameters<FastifyBaseLogger['child']>
    ) => new RequestLog(() => parent.child(...bindings)),
    bodyLimit: config.bodyLimit,
    serverFactory: (listener) => listenerOf(bound.before(answers.before(listener)), tls),
    forceCloseConnections: 'idle',
    // What still comes on an open connection is answered, and the connection closed after it.
    return503OnClosing: false,
    genReqId: requestId,
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler: answerUnreadable,
    // A path that cannot even be decoded is a path that does not exist.
    frameworkErrors: (_: unknown, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-request-id', request.id);
      answerError(notFound(), request, reply);
    },
    ...(config.tls.kind === 'proxy' ? { trustProxy: [...config.tls.trustedProxies] } : {}),
  });
  server.decorateRequest('viewer');
  server.setErrorHandler(answerError);
  server.setNotFoundHandler(() => {
    throw notFound();
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  if (config.logLevel === 'debug' || config.logLevel === 'trace') logAnswers(server);
  if (!tls) requireTls(server);
  bound.count(server);
  answers.count(server);
  await limitRate(server, config.rateLimit);
  takeJson(server);
  return server;
}

function logAnswers(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.debug(
      {
        method: request.method,
        url: request.routeOptions.url,
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'answered',
    );
  });
}

/** Behind a proxy: what the proxy did not receive over TLS is refused. */
function requireTls(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.protocol !== 'https') {
      reply.header('cache-control', 'no-store');
      throw new Fault('FORBIDDEN', ['Only TLS connections are accepted']);
    }
  });
}
