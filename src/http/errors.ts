/** Errors as answers: one shape everywhere, and no details of errors of ours but their status. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { codes, Fault, InsufficientScope, notJson, TooMany, tooLarge } from '../errors/errors.ts';
import { mergePatch, UnknownEncoding } from './body.ts';
import { errorText, sendError } from './error_body.ts';
import { logRefusal } from './refusals.ts';
import { logOf } from './request_log.ts';

/** What a PATCH takes (RFC 5789). */
const patchTypes = `application/json, ${mergePatch}`;

/** Faults for what Fastify itself refuses, by its status. */
const refusals: Readonly<Record<number, (bodyLimit: number) => Fault>> = {
  400: () => new Fault('BAD_USER_INPUT'),
  404: () => new Fault('NOT_FOUND'),
  413: tooLarge,
  414: () => new Fault('BAD_USER_INPUT'),
  415: notJson,
  429: () => new Fault('TOO_MANY_REQUESTS'),
  503: () => new Fault('UNAVAILABLE'),
};

/** What a client sees of an error; anything unknown is an error of ours and is masked. */
export function toFault(error: unknown, bodyLimit = 0): Fault {
  if (error instanceof Fault) return error;
  const status = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  const refusal = typeof status === 'number' ? refusals[status] : undefined;
  return refusal?.(bodyLimit) ?? new Fault('INTERNAL_SERVER_ERROR');
}

/** Logs errors of ours, and as warnings what we could not do; not clients' mistakes. */
export function logError(
  log: () => Pick<FastifyBaseLogger, 'error' | 'warn'>,
  error: unknown,
): void {
  const fault = toFault(error);
  const { status } = codes[fault.code];
  if (status === 500) log().error({ err: error }, 'request failed');
  else if (status === 503) logRefusal(log(), fault.cause instanceof Error ? fault.cause : fault);
}

/** What `WWW-Authenticate` says of a fault, by RFC 6750; undefined where another token would not help. */
function challengeOf(fault: Fault): string | undefined {
  if (fault.code === 'UNAUTHENTICATED') return 'Bearer';
  if (!(fault instanceof InsufficientScope)) return undefined;
  return `Bearer error="insufficient_scope", scope="${fault.scopes.join(' ')}"`;
}

/** Seconds after which a client may retry; undefined where that would not help. */
function retryAfter(fault: Fault): number | undefined {
  if (fault instanceof TooMany) return fault.seconds;
  const { status } = codes[fault.code];
  // The service was overloaded or down, or at the same already.
  return status === 503 || status === 409 ? 1 : undefined;
}

/** The headers by which any answer to a fault tells what would make another attempt worthwhile. */
export function refusalHeaders(fault: Fault): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const challenge = challengeOf(fault);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  const seconds = retryAfter(fault);
  if (seconds !== undefined) headers['retry-after'] = String(seconds);
  return headers;
}

/** A body that is too large by no more than this many bytes is read to its end, and dropped. */
const readAnyway = 8 * 1024 * 1024;

/**
 * Fastify closes a connection whose body it could not take, for it cannot know how much there is to come. A body
 * that is there is refused like anything else, and one that still arrives is awaited if it ends soon: to
 * close its connection would reset that, and the client would never see why.
 */
function letFinish(request: FastifyRequest, reply: FastifyReply): void {
  // A client that said this request is its last is told that the connection ends.
  if (!reply.hasHeader('connection') || !reply.raw.shouldKeepAlive) return;
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const endsSoon = length <= request.routeOptions.bodyLimit + readAnyway;
  if (request.raw.complete || endsSoon) reply.removeHeader('connection');
}

/** Logs an error, and gives the answer the status and headers of what the client is told. */
export function refuseWith(error: unknown, request: FastifyRequest, reply: FastifyReply): Fault {
  logError(() => logOf(request), error);
  const fault = toFault(error, request.routeOptions.bodyLimit);
  const { status } = codes[fault.code];
  reply.headers(refusalHeaders(fault));
  if (status === 415 && request.method === 'PATCH') reply.header('accept-patch', patchTypes);
  letFinish(request, reply);
  if (fault instanceof UnknownEncoding) reply.header('accept-encoding', UnknownEncoding.known);
  reply.status(status);
  return fault;
}

/** Fastify's error handler. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const fault = refuseWith(error, request, reply);
  sendError(request, reply, errorText(fault, request.id));
}
