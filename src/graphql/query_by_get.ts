/** `GET /graphql`: queries by their address, as clients ask that let caches help them. */
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendNotModified } from '../http/headers/compression.ts';
import { contentTag, isKnown } from '../http/headers/etag.ts';
import type { OperationContext } from './operation.ts';

/** Bytes of an answer of which a digest is soon made. */
const digested = 1024 * 1024;

/**
 * Answers a query with its tag, or with a 304 to clients that have that answer already (RFC 9110, 15.4.5). Apollo
 * Server refuses mutations here.
 */
export async function answerQuery(
  apollo: ApolloServer<OperationContext>,
  request: FastifyRequest,
  reply: FastifyReply,
  context: () => OperationContext,
): Promise<FastifyReply> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  // Browsers send a token to other origins after a preflight alone, and the cookie is not taken here.
  headers.set('apollo-require-preflight', 'true');
  const [, search = ''] = request.url.split('?', 2);
  const { body, ...answer } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'GET', headers, search: `?${search}`, body: undefined },
    context: async () => context(),
  });
  if (body.kind !== 'complete') throw new Error('a query was answered in parts');
  for (const [name, value] of answer.headers) {
    if (name !== 'content-length') reply.header(name, value);
  }
  const { status = 200 } = answer;
  reply.code(status);
  if (status !== 200 || body.string.length > digested) return reply.send(body.string);
  const bytes = Buffer.from(body.string);
  const tag = contentTag(bytes);
  if (isKnown(request, tag)) return sendNotModified(request, reply, tag, bytes);
  return reply.header('etag', tag).send(body.string);
}
