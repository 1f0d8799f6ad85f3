/** `/graphql` and `/graphql/stream`, behind the same authentication and checks as REST. */
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../auth/sessions.ts';
import type { Verifier } from '../auth/verifier.ts';
import type { Context } from '../context/context.ts';
import type { AnswerOnce } from '../context/idempotency.ts';
import { Fault } from '../errors/errors.ts';
import { identify, identifyPerson } from '../http/authentication.ts';
import { refuseWith } from '../http/errors.ts';
import { sentKey } from '../http/headers/idempotency_key.ts';
import { wantsDryRun } from '../http/headers/preferences.ts';
import { isJsonObject } from '../json/json.ts';
import { answerTo, startApollo } from './apollo.ts';
import { answerText, findCached } from './cached_documents.ts';
import { documentCache } from './document_cache.ts';
import { faultAsError } from './errors.ts';
import { excessOfText } from './guard/limits.ts';
import { type LiveOptions, streamHandler } from './live/stream.ts';
import type { OperationContext } from './operation.ts';
import { answerQuery } from './query_by_get.ts';

interface GraphqlOptions extends LiveOptions {
  readonly log: FastifyBaseLogger;
  readonly verifier: Verifier;
  readonly sessions: Sessions;
  readonly contextOf: (request: FastifyRequest) => Context;
  /** Whether clients may introspect the schema. */
  readonly introspection: boolean;
  /** Answers mutations that come with a key. */
  readonly once: AnswerOnce;
}

/**
 * Adds `POST /graphql`, answered by Apollo Server, and `POST /graphql/stream`, which sends the results of
 * subscriptions as Server-Sent Events. Both take a token, or the cookie of a session. `GET /graphql` answers
 * queries, and takes a token alone: an address may be opened by any page.
 */
export async function addGraphql(server: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { log, verifier, sessions, contextOf, introspection, once } = options;
  const documents = documentCache();
  const apollo = await startApollo(log, { introspection, documents, once });
  server.addHook('onClose', () => apollo.stop());

  /** Who may ask, how long a document may be, and what a refusal looks like. */
  const common = {
    method: 'POST',
    config: { takesBody: true },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await identifyPerson(request, reply, verifier, sessions);
    },
    preHandler: (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void) => {
      const parameters = request.method === 'POST' ? request.body : request.query;
      const query = isJsonObject(parameters) ? parameters.query : undefined;
      const message = typeof query === 'string' ? excessOfText(query) : undefined;
      done(message === undefined ? undefined : new Fault('BAD_USER_INPUT', [message]));
    },
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const fault = refuseWith(error, request, reply);
      return reply.send({ errors: [faultAsError(fault)] });
    },
  } as const;

  const operationContext = (request: FastifyRequest): OperationContext => ({
    context: contextOf(request),
    isWatched: false,
    sentKey: sentKey(request),
    isDryRun: wantsDryRun(request),
  });
  const throughApollo = fastifyApolloHandler(apollo, {
    context: async (request) => operationContext(request),
  });
  server.route({
    ...common,
    url: '/graphql',
    // Apollo would set its own header when it does not know a hash.
    onSend: (_, reply, payload, done) => {
      reply.header('cache-control', 'no-store');
      done(null, payload);
    },
    handler: (request, reply) => {
      const clientDocument = findCached(request, documents);
      if (!clientDocument) return throughApollo.call(server, request, reply);
      return answerText(reply, answerTo(log, contextOf(request), clientDocument));
    },
  });
  server.route({
    ...common,
    method: 'GET',
    url: '/graphql',
    config: {},
    onRequest: async (request, reply) => identify(request, reply, verifier),
    handler: (request, reply) =>
      answerQuery(apollo, request, reply, () => operationContext(request)),
  });
  server.route({ ...common, url: '/graphql/stream', handler: streamHandler(apollo, options) });
}
