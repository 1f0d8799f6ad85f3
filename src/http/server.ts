/** The server: TLS, request ids, limits, errors. Others add its routes. */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config/config.ts';
import { Fault, noRoute } from '../errors/errors.ts';
import { takeJson } from './body.ts';
import { answerError } from './errors.ts';
import { compressAnswers } from './headers/compression.ts';
import { CrossOrigin } from './headers/cross_origin.ts';
import { readForwarded } from './headers/forwarded.ts';
import { requestId } from './headers/request_id.ts';
import type { Connections } from './limits/connections.ts';
import type { LoadShedder } from './limits/load_shedder.ts';
import { limitRate } from './limits/rate_limit.ts';
import type { UnreadResponses } from './limits/unread_responses.ts';
import { answerAlike, createListener } from './listener.ts';
import { answerUnreadable } from './malformed_requests.ts';
import { logOf } from './request_log.ts';
import { tellTimes } from './server_timing.ts';
import type { Certificate } from './tls/certificate.ts';
import { traceRequests } from './traces.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  /** Undefined behind a proxy that terminates TLS. */
  readonly tls: Certificate | undefined;
  readonly bound: LoadShedder;
  readonly answers: UnreadResponses;
  readonly connections: Connections;
}

/**
 * Makes the HTTP server without routes: its limits, the form of its refusals, compression, and the reading of
 * JSON bodies. The caller adds the routes, and has it listen.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config, log, tls, bound, answers, connections } = options;
  const crossOrigin = new CrossOrigin(config.allowedOrigins);
  const server: FastifyInstance = Fastify({
    // With a logger of its own Fastify would listen for the end of every answer, only to log nothing.
    childLoggerFactory: () => log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.bodyLimit,
    serverFactory: (listener) =>
      createListener(crossOrigin.before(bound.before(answers.before(listener))), tls, connections),
    forceCloseConnections: 'idle',
    // Requests that still arrive on an open connection are answered before it is closed.
    return503OnClosing: false,
    genReqId: requestId,
    routerOptions: {
      maxParamLength: 500,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
    },
    clientErrorHandler: answerUnreadable,
    // A path that cannot be decoded does not exist.
    frameworkErrors: (_: unknown, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({
        'x-request-id': request.id,
        'cross-origin-resource-policy': 'same-origin',
      });
      answerError(noRoute(), request, reply);
    },
    ...(config.tls.kind === 'proxy' ? { trustProxy: [...config.tls.trustedProxies] } : {}),
  });
  server.decorate('publicUrl', config.publicUrl);
  server.decorateRequest('viewer');
  server.decorateRequest('identifyingMs', 0);
  server.decorateRequest('version');
  server.decorateRequest('recordId');
  server.decorateRequest('page');
  answerAlike(server);
  crossOrigin.answerPreflights(server);
  if (config.logLevel === 'debug' || config.logLevel === 'trace') logAnswers(server);
  if (!tls) requireTls(server);
  connections.announce(server);
  traceRequests(server, config.tracing !== undefined);
  tellTimes(server);
  bound.count(server);
  answers.count(server);
  compressAnswers(server);
  limitRate(server, config.rateLimit, config.workers);
  takeJson(server);
  return server;
}

function logAnswers(server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    logOf(request).debug(
      {
        method: request.method,
        url: request.routeOptions.url,
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'answered',
    );
    done();
  });
}

/**
 * Behind a proxy: refuses what the proxy did not receive over TLS, and believes only addresses in
 * its header.
 */
function requireTls(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded !== undefined) {
      request.headers['x-forwarded-for'] = readForwarded([forwarded].flat().join());
    }
    if (request.protocol !== 'https') {
      reply.header('cache-control', 'no-store');
      throw new Fault('FORBIDDEN', ['Only TLS connections are accepted']);
    }
  });
}
