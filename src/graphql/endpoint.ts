/** `POST /graphql`: Apollo Server over the schema, with the token and the checks of REST. */
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance } from 'fastify';
import type { Verifier } from '../auth/verifier.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Context } from '../context.ts';
import { codes, Fault } from '../errors.ts';
import { retryAfter, toFault } from '../http/errors.ts';
import { identify, viewerOf } from '../http/viewer.ts';
import { stringifyJson } from '../json.ts';
import { executeAffordable } from './afford.ts';
import { documentCache, persistedQueryCache } from './documents.ts';
import { faultAsError, formatError } from './errors.ts';
import { limits, withinLimits } from './limits.ts';
import { schema } from './schema.ts';

export interface GraphqlOptions {
  readonly verifier: Verifier;
  readonly contextOf: (viewer: Viewer, requestId: string) => Context;
  /** Whether clients may ask what the schema holds. */
  readonly introspection: boolean;
}

/** Apollo adds to its context value; ours stays as it is inside. */
interface Carried {
  readonly context: Context;
}

export async function addGraphql(server: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const apollo = new ApolloServer<Carried>({
    gateway: compiledExecution,
    introspection: options.introspection,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [withinLimits],
    documentStore: documentCache(),
    persistedQueries: { cache: persistedQueryCache(), ttl: null },
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    stringifyResult: stringifyJson,
    stopOnTerminationSignals: false,
    logger: server.log,
    formatError: (formatted, error) =>
      formatError(formatted, error, (cause) => server.log.error({ err: cause }, 'query failed')),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await apollo.start();
  server.addHook('onClose', () => apollo.stop());

  server.route({
    method: 'POST',
    url: '/graphql',
    config: { takesBody: true },
    onRequest: async (request, reply) => {
      await identify(request, reply, options.verifier);
    },
    handler: fastifyApolloHandler(apollo, {
      context: async (request) => ({ context: options.contextOf(viewerOf(request), request.id) }),
    }),
    errorHandler: (error, request, reply) => {
      const fault = toFault(error);
      const { status } = codes[fault.code];
      if (status >= 500) request.log.error({ err: error }, 'request failed');
      if (fault.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
      if (status === 503) reply.header('retry-after', retryAfter);
      return reply.status(status).send({ errors: [faultAsError(fault)] });
    },
  });
  server.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/graphql',
    handler: (_, reply) => {
      reply.header('allow', 'POST');
      throw new Fault('METHOD_NOT_ALLOWED');
    },
  });
}

/** Apollo parses, validates and answers; a compiled form of the document is what runs. */
const compiledExecution: NonNullable<
  ConstructorParameters<typeof ApolloServer<Carried>>[0]['gateway']
> = {
  load: async () => ({
    executor: ({ document, context: { context }, request }) =>
      executeAffordable(document, context, request.variables ?? {}, request.operationName),
  }),
  onSchemaLoadOrUpdate: (tell) => {
    tell({ apiSchema: schema, coreSupergraphSdl: '' });
    return () => undefined;
  },
  stop: async () => undefined,
};
