/** What Node's parser cannot read as a request, which no handler ever sees. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import { type Code, codes, Fault } from '../errors/errors.ts';
import { errorText } from './error_body.ts';

/** The codes of the parser's errors that are not simply a bad request. */
const codeOf: Readonly<Record<string, Code>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * How long a client may take to read why it is refused and to hang up, in milliseconds. Without a
 * limit it could keep its half of the connection open as long as it likes, and a connection that
 * never finished its handshake would wait for ever for the answer to be sent.
 */
const lingerMs = 1000;

/** Connections that have been answered that what they sent is not a request. */
const refused = new WeakSet<Socket>();

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The last request of a connection that came with a transfer encoding. */
const encoded = new WeakMap<Socket, Exchange>();

/**
 * Remembers a request whose body may still turn out to be unreadable after the request was answered:
 * one that names a transfer encoding. A body of a given length cannot be malformed.
 */
export function watchBody(request: IncomingMessage, response: ServerResponse): void {
  const encoding = request.headers['transfer-encoding'];
  if (encoding === undefined) return;
  encoded.set(request.socket, { request, response });
  // Nobody knows where such a body ends (RFC 9112, 6.3), and the client is told so.
  if (!/\bchunked$/i.test(encoding)) response.shouldKeepAlive = false;
}

/**
 * Answers what could not be read as a request, in the shape of every other error, and closes its
 * connection soon afterwards, whatever the client does. Where the unreadable bytes are the body of a
 * request that was answered without it (a 404, say), the connection closes without a second answer.
 */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // The rest of the request is unreadable too, and closing at once would lose the answer.
  if (refused.has(socket)) return;
  refused.add(socket);
  if (!socket.writable) return void socket.destroy();
  setTimeout(() => socket.destroy(), lingerMs).unref();
  const last = encoded.get(socket);
  if (last && !last.request.complete && last.response.headersSent) {
    finished(last.response, () => socket.end());
  } else {
    socket.end(refusal(new Fault(codeOf[error.code ?? ''] ?? 'BAD_USER_INPUT')));
  }
}

/** A whole answer, as it goes over the wire. */
function refusal(fault: Fault): string {
  const { status } = codes[fault.code];
  const id = randomUUID();
  const text = errorText(fault, id);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}
