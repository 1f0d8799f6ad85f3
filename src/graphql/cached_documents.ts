/**
 * The short way for documents that came before. Apollo Server hashes the text of each request, copies its
 * headers, parses its URL and media types and calls hooks, which takes longer than running most documents.
 * What it parsed and validated once needs none of that; whatever is unusual about a request goes to it
 * nevertheless.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getOperationAST } from 'graphql';
import { sentKey } from '../http/headers/idempotency_key.ts';
import { wantsDryRun } from '../http/headers/preferences.ts';
import { isJsonObject } from '../json/json.ts';
import { type ClientDocument, stringify } from './apollo.ts';
import type { Documents } from './document_cache.ts';
import type { Single } from './idempotency.ts';

/** What accepts plain JSON before anything else. */
const acceptsJson = /^(\*\/\*$|application\/json *(,|$))/;

/** The document of a request, if it came before and Apollo Server has nothing to say about the rest. */
export function findCached(
  request: FastifyRequest,
  documents: Documents,
): ClientDocument | undefined {
  const { body, headers } = request;
  if (!isJsonObject(body) || sentKey(request) !== undefined) return undefined;
  if (wantsDryRun(request)) return undefined;
  if (!acceptsJson.test(headers.accept ?? '*/*')) return undefined;
  const { query, variables, operationName } = body;
  if (typeof query !== 'string' || (body.extensions ?? null) !== null) return undefined;
  if ((variables ?? null) !== null && !isJsonObject(variables)) return undefined;
  const isNamed = typeof operationName === 'string';
  if (!isNamed && (operationName ?? null) !== null) return undefined;
  const document = documents.findByText(query);
  const operation = document && getOperationAST(document, isNamed ? operationName : undefined);
  if (!operation || operation.operation === 'subscription') return undefined;
  return {
    document,
    ...(isJsonObject(variables) && { variables }),
    ...(isNamed && { operationName }),
  };
}

/** The text of an answer, written as Apollo Server would. */
export async function answerText(reply: FastifyReply, answering: Promise<Single>): Promise<string> {
  const { http, body } = await answering;
  for (const [name, value] of http.headers) reply.header(name, value);
  reply.code(http.status ?? 200).type('application/json; charset=utf-8');
  const { errors, data } = body.singleResult;
  return stringify({ ...(errors && { errors }), ...(data !== undefined && { data }) });
}
