/**
 * Calls from pages of other origins that the operator has listed (CORS, Fetch Standard 3.2). They are for
 * tokens alone: no answer allows credentials, so that a browser shows none to a request with a cookie.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { secretIn } from './session_cookie.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Headers of requests that mean something here, but those that browsers let every page send. */
const requestHeaders = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'Prefer', 'X-Request-Id'],
  ...['Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'X-Changes-Cursor'],
  ...['Apollo-Require-Preflight', 'ApolloGraphQL-Client-Name', 'ApolloGraphQL-Client-Version'],
].join(', ');

/** Headers of answers that pages may read, beside those that they always may. */
const exposedHeaders = [
  ...['ETag', 'Location', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ...[
    'X-Next-Cursor',
    'X-Count',
    'X-Match',
    'X-Total-Count',
    'X-Changes-Cursor',
    'X-Ignored-Fields',
  ],
  ...['Preference-Applied', 'Idempotent-Replayed', 'WWW-Authenticate', 'Allow', 'Accept-Patch'],
  ...['Content-Disposition', 'Accept-Encoding'],
].join(', ');

/** How long a browser need not ask again, in seconds: most take no more than two hours. */
const maxAge = '7200';

const allowing = 'access-control-allow-origin';

/** The origins whose pages may call. */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers write them */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** A listener whose answers say, whatever they are, that a page of these origins may read them. */
  before(listener: RequestListener): RequestListener {
    if (this.#origins.size === 0) return listener;
    return (request, response) => {
      response.setHeader('vary', 'origin');
      const origin = this.#originOf(request);
      if (origin !== undefined) {
        response.setHeader(allowing, origin);
        response.setHeader('access-control-expose-headers', exposedHeaders);
      }
      listener(request, response);
    };
  }

  /** Answers browsers that ask what a page may send. */
  answerPreflights(server: FastifyInstance): void {
    if (this.#origins.size === 0) return;
    server.addHook('onRequest', (request, reply, done) => {
      const isPreflight =
        request.method === 'OPTIONS' &&
        request.headers['access-control-request-method'] !== undefined &&
        reply.raw.hasHeader(allowing);
      if (!isPreflight) return done();
      reply.headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': maxAge,
      });
      reply.status(204).send();
    });
  }

  #originOf(request: IncomingMessage): string | undefined {
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && this.#origins.has(origin);
    return isAllowed && secretIn(request) === undefined ? origin : undefined;
  }
}
