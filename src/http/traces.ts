/** A request as part of a trace (W3C Trace Context): its caller's, or its own. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { readTraceparent, startSpan, type Trace } from '../lib/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where nothing is traced and the caller did not say that it is part of a trace. */
    trace: Trace | undefined;
  }
}

/**
 * Notes which trace each request belongs to, for the log.
 * @param isRecorded whether requests have spans as well
 */
export function traceRequests(server: FastifyInstance, isRecorded: boolean): void {
  server.decorateRequest('trace', undefined);
  server.addHook('onRequest', (request, _, done) => {
    const { traceparent } = request.headers;
    const parent = traceparent === undefined ? undefined : readTraceparent(traceparent);
    if (!parent && !isRecorded) return done();
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    const span = isRecorded
      ? startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
      : undefined;
    request.trace = {
      id: span?.spanContext().traceId ?? parent?.traceId ?? '',
      current: span?.isRecording() ? span : undefined,
    };
    done();
  });
  if (!isRecorded) return;
  server.addHook('onResponse', (request, reply, done) => {
    const span = request.trace?.current;
    if (span) {
      span.setAttribute('http.response.status_code', reply.raw.statusCode);
      if (reply.raw.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
    done();
  });
}
