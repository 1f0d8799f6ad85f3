/** `POST /graphql`: Apollo Server over the schema, with the token and the checks of REST. */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Verifier } from '../auth/verifier.ts';
import type { Context } from '../context.ts';
import { codes, Fault } from '../errors.ts';
import { logError, refuseWith } from '../http/errors.ts';
import { identify } from '../http/viewer.ts';
import { isJsonObject, stringifyJson } from '../json.ts';
import { stringifyLargeJson } from '../large_json.ts';
import { turnstile } from '../turnstile.ts';
import { documentCache, persistedQueryCache } from './documents.ts';
import { causeOfError, faultAsError, formatError } from './errors.ts';
import { executeAffordable } from './execute.ts';
import { excessOfText, limits } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import { schema } from './schema.ts';

export interface GraphqlOptions {
  readonly verifier: Verifier;
  readonly contextOf: (request: FastifyRequest) => Context;
  /** Whether clients may ask what the schema holds. */
  readonly introspection: boolean;
}

/** Apollo adds to its context value; ours stays as it is inside. */
interface Carried {
  readonly context: Context;
}

export async function addGraphql(server: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const apollo = new ApolloServer<Carried>({
    schema,
    introspection: options.introspection,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [withinLimits],
    validationOptions: { maxErrors: limits.errors, hideSuggestions: !options.introspection },
    documentStore: documentCache(),
    persistedQueries: { cache: persistedQueryCache(), ttl: null },
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    stringifyResult: stringify,
    stopOnTerminationSignals: false,
    logger: server.log,
    formatError,
    plugins: [
      compiledExecution(server.log),
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
    // Apollo has a header of its own for hashes that it does not know.
    onSend: (_, reply, payload, done) => {
      reply.header('cache-control', 'no-store');
      done(null, payload);
    },
    preHandler: (request, _, done) => {
      const query = isJsonObject(request.body) ? request.body.query : undefined;
      const message = typeof query === 'string' ? excessOfText(query) : undefined;
      done(message === undefined ? undefined : new Fault('BAD_USER_INPUT', [message]));
    },
    handler: fastifyApolloHandler(apollo, {
      context: async (request) => ({ context: options.contextOf(request) }),
    }),
    errorHandler: (error, request, reply) => {
      const fault = refuseWith(error, request, reply);
      return reply.send({ errors: [faultAsError(fault)] });
    },
  });
}

/** Data of answers that are written in parts. */
const large = new WeakSet<object>();

const stringify = (result: FormattedExecutionResult): string | Promise<string> =>
  result.data && large.has(result.data) ? stringifyLargeJson(result) : stringifyJson(result);

/**
 * Apollo parses and validates; a compiled form of the document is what runs, in the place where a
 * plugin may answer by itself. A gateway would be another, but for it Apollo makes objects which
 * keep all of a request alive until the next full collection. What goes wrong and is no mistake of
 * the client is logged under the request's id.
 */
const compiledExecution = (log: FastifyBaseLogger): ApolloServerPlugin<Carried> => ({
  requestDidStart: async ({ contextValue: { context } }) => ({
    // These two are called for a document that is not known, just before the work.
    parsingDidStart: () => turnstile.pass(context.viewer.accountId),
    validationDidStart: () => turnstile.pass(context.viewer.accountId),
    didEncounterErrors: async ({ errors }) => logCauses(log, context, errors),
    responseForOperation: async ({ document, request }) => {
      const given = request.variables ?? {};
      const result = await executeAffordable(document, context, given, request.operationName);
      // Apollo says which operation it cannot find.
      if (!result) return null;
      const { data, errors } = result;
      if (data && context.budget.isLarge) large.add(data);
      if (errors) logCauses(log, context, errors);
      const told = errors?.map((error) => formatError(error.toJSON(), error));
      const singleResult = {
        ...(data === undefined ? {} : { data }),
        ...(told && { errors: told }),
      };
      const { status } = codes.BAD_USER_INPUT;
      return {
        http: { headers: new HeaderMap(), ...(data === undefined ? { status } : {}) },
        body: { kind: 'single', singleResult },
      };
    },
  }),
  unexpectedErrorProcessingRequest: async ({ error, requestContext }) =>
    logError(log.child({ reqId: requestContext.contextValue.context.requestId }), error),
});

function logCauses(
  log: FastifyBaseLogger,
  { requestId }: Context,
  errors: readonly GraphQLError[],
): void {
  const causes = new Set(errors.map(causeOfError));
  causes.delete(undefined);
  if (causes.size === 0) return;
  const own = log.child({ reqId: requestId });
  for (const cause of causes) logError(own, cause);
}
