/** The header `Idempotency-Key`, and what of a request makes it another one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type KeyedRequest, keyHeader, type StoredAnswer } from '../../context/idempotency.ts';
import { invalid } from '../../errors/errors.ts';
import { sendError } from '../error_body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body, unpacked, where the request came with a key. */
    sentBytes?: Buffer;
  }
}

type WithHeaders = Pick<FastifyRequest, 'headers'>;

const visible = /^[\x21-\x7e]{1,255}$/;

/** What the header holds, whatever that is; undefined without it. */
export const sentKey = ({ headers }: WithHeaders): string | undefined =>
  headers['idempotency-key']?.toString();

/** @throws {Fault} VALIDATION_FAILED for an invalid key */
export function requireKey(header: string): string {
  if (visible.test(header)) return header;
  throw invalid(keyHeader, 'must be 1 to 255 visible ASCII characters, and sent once');
}

/** Headers that say what is to be done with a body. */
const meaningful = ['content-type', 'if-match', 'prefer'] as const;

/**
 * A request to write, with its key.
 * @throws {Fault} VALIDATION_FAILED for an invalid key
 */
export function keyedRequest(request: FastifyRequest, header: string): KeyedRequest {
  const { method, url, headers, sentBytes = '' } = request;
  const parts = meaningful.map((name) => headers[name]?.toString() ?? '');
  const none = headers['if-none-match'];
  // Left out where it is not there, so that requests are the same as before it meant anything.
  const excepted = none === undefined ? [] : [none];
  return { key: requireKey(header), request: [method, url, ...parts, ...excepted, sentBytes] };
}

/** Headers that are repeated together with the body of an answer. */
const belonging = ['etag', 'location', 'preference-applied', 'x-ignored-fields'] as const;

/** Those headers of an answer that are stored with it. */
export const headersToKeep = (reply: FastifyReply): Readonly<Record<string, string>> =>
  Object.fromEntries(
    belonging.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );

/** Sends an answer to a request with a key. */
export function sendStoredAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, isReplay }: StoredAnswer & { readonly isReplay: boolean },
): FastifyReply {
  reply.status(status).headers(headers);
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (body === '') return reply.send();
  if (status >= 400) return sendError(request, reply, body);
  return reply.type('application/json; charset=utf-8').send(body);
}
