/** Errors as answers: one shape everywhere, and nothing of our own faults but their number. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Code, codes, Fault, type FieldMessages } from '../errors.ts';

/** The body of every error answer. */
export interface ErrorBody {
  readonly error: string;
  readonly errors: readonly string[];
  readonly fields?: FieldMessages;
  readonly request_id: string;
}

/** Seconds after which a client may try again what found the service overloaded or down. */
export const retryAfter = '1';

/** What Fastify itself refuses, by its status. */
const refusals: Readonly<Record<number, Code>> = {
  400: 'BAD_USER_INPUT',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'BAD_USER_INPUT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  503: 'UNAVAILABLE',
};

/** What a client is told of an error; anything unknown is a fault of ours and is masked. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const status = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  const code = typeof status === 'number' ? refusals[status] : undefined;
  return code ? new Fault(code) : new Fault('INTERNAL_SERVER_ERROR');
}

/** The body of a fault's answer. */
export function errorText(fault: Fault, requestId: string): string {
  const body: ErrorBody = {
    error: codes[fault.code].summary,
    errors: fault.messages,
    ...(fault.fields ? { fields: fault.fields } : {}),
    request_id: requestId,
  };
  return JSON.stringify(body);
}

/** Logs an error by its weight: faults of ours, and what we could not do; clients' mistakes not. */
export function logError(log: Pick<FastifyBaseLogger, 'error' | 'warn'>, error: unknown): void {
  const fault = toFault(error);
  const { status } = codes[fault.code];
  if (status === 500) log.error({ err: error }, 'request failed');
  else if (status === 503) log.warn({ err: fault.cause ?? error }, 'request refused');
}

/** Logs an error, and gives an answer the status and headers of what the client is told of it. */
export function refuseWith(error: unknown, request: FastifyRequest, reply: FastifyReply): Fault {
  logError(request.log, error);
  const fault = toFault(error);
  const { status } = codes[fault.code];
  if (fault.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
  if (status === 503) reply.header('retry-after', retryAfter);
  reply.status(status);
  return fault;
}

/** Fastify's error handler. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const fault = refuseWith(error, request, reply);
  reply.type('application/json; charset=utf-8').send(errorText(fault, request.id));
}

/** What Node's parser refuses before there is a request, by its code. */
const unreadable: Readonly<Record<string, Code>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * How long a client may take to read why it is refused and to hang up, in milliseconds. Without an
 * end it could keep its half of the connection open as long as it likes, and one that never finished
 * its handshake would wait for ever for the answer to be sent.
 */
const lingerMs = 1000;

/** Connections that were told that what they sent is no request. */
const told = new WeakSet<Socket>();

/**
 * Answers, in the shape of every other error, what is no request that could be read, and ends its
 * connection soon afterwards, whatever the client does.
 */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // What still comes of the request is unreadable again; to end at once would lose the answer.
  if (told.has(socket)) return;
  told.add(socket);
  if (!socket.writable) return void socket.destroy();
  const fault = new Fault(unreadable[error.code ?? ''] ?? 'BAD_USER_INPUT');
  const { status } = codes[fault.code];
  const id = randomUUID();
  const text = errorText(fault, id);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${id}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
