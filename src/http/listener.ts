/** The listener, over TLS or behind a proxy, and what all of its answers have in common. */
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setDefaultHighWaterMark } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, noRoute } from '../errors/errors.ts';
import { answerError } from './errors.ts';
import { refuseHost } from './headers/host.ts';
import type { Connections } from './limits/connections.ts';
import { watchBody } from './malformed_requests.ts';
import { routedMethod } from './methods.ts';
import { refuseUnknownPaths } from './no_route.ts';
import { type Certificate, secured } from './tls/certificate.ts';

/**
 * Node stops reading a connection when more bytes of its answers than this wait to be sent, and over
 * TLS then refuses the rest of a request that has arrived meanwhile, even if the client has received
 * the whole answer and the process has not heard of it yet. `unread_responses.ts` bounds how much may wait.
 */
const waitingBytes = 2 * 1024 * 1024;

/** What clients may offer in the handshake (RFC 7301), the better one first. */
const protocols = ['http/1.1', 'http/1.0'];

/**
 * @param tls undefined for plain HTTP
 * @param connections keeps track of this listener's connections
 */
export function createListener(
  answer: RequestListener,
  tls: Certificate | undefined,
  connections: Connections,
): Server {
  const listener: RequestListener = (request, response) => {
    request.method = routedMethod(request.method);
    watchBody(request, response);
    answer(request, response);
  };
  setDefaultHighWaterMark(false, waitingBytes);
  // Node's own refusal of a request without a host would have no body.
  const options = { ...connections.patience, requireHostHeader: false };
  const server = tls
    ? createTlsServer({ ...secured(tls), ...options, ALPNProtocols: protocols }, listener)
    : createPlainServer(options, listener);
  server.on('checkExpectation', listener);
  connections.watch(server);
  return server;
}

/** A year, in seconds. For other hosts of the domain we cannot speak. */
const strictTransport = 'max-age=31536000';

/** Gives all answers their common headers and errors their shape, and refuses what HTTP forbids. */
export function answerAlike(server: FastifyInstance): void {
  server.setErrorHandler(answerError);
  refuseUnknownPaths(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cross-origin-resource-policy', 'same-origin');
    if (request.protocol === 'https') reply.header('strict-transport-security', strictTransport);
    forgetType(request);
    done(refusal(request));
  });
}

/** The type of a body that is ignored must not lead to a refusal. */
function forgetType({ routeOptions, headers }: FastifyRequest): void {
  if (headers['content-type'] !== undefined && !routeOptions.config.takesBody)
    headers['content-type'] = undefined;
}

/**
 * A path, or a URL with one, which the router takes for its path (RFC 9112, section 3.2). In place of anything else,
 * such as `*` or an authority, it would look for `/`.
 */
const target = /^(?:https?:\/\/[^/?#]+)?\//;

function refusal(request: FastifyRequest): Fault | undefined {
  const { raw, headers, routeOptions } = request;
  if (!target.test(raw.url ?? '')) return noRoute();
  const refused = refuseHost(request);
  if (refused || raw.httpVersionMinor === 0) return refused;
  const encoding = headers['transfer-encoding'] ?? 'chunked';
  if (routeOptions.config.takesBody && encoding.toLowerCase() !== 'chunked')
    return new Fault('BAD_USER_INPUT', ['The only transfer encoding known is chunked']);
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    return new Fault('EXPECTATION_FAILED', ['Nothing but 100-continue can be expected']);
  return undefined;
}
