/** `POST /graphql`: Apollo Server, behind the same authentication and checks as REST. */
import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { ExecutionResult, FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Sessions } from '../auth/sessions.ts';
import type { Verifier } from '../auth/verifier.ts';
import type { Context } from '../context.ts';
import { codes, Fault, InsufficientScope } from '../errors.ts';
import { challengeOf, logError, refuseWith } from '../http/errors.ts';
import { identifyPerson } from '../http/viewer.ts';
import { isJsonObject, stringifyJson } from '../json.ts';
import { stringifyLargeJson } from '../large_json.ts';
import { turnstile } from '../turnstile.ts';
import { documentCache, persistedQueryCache } from './documents.ts';
import { causeOfError, faultAsError, formatError } from './errors.ts';
import { executeWithinLimits } from './execute.ts';
import { excessOfText, limits } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import { schema } from './schema.ts';

interface GraphqlOptions {
  readonly verifier: Verifier;
  readonly sessions: Sessions;
  readonly contextOf: (request: FastifyRequest) => Context;
  /** Whether clients may introspect the schema. */
  readonly introspection: boolean;
}

/** Apollo adds to its context value, so ours is wrapped. */
interface Wrapped {
  readonly context: Context;
}

export async function addGraphql(server: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const apollo = new ApolloServer<Wrapped>({
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
      await identifyPerson(request, reply, options.verifier, options.sessions);
    },
    // Apollo would set its own header when it does not know a hash.
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

/** Data that is serialised in parts, because it is large. */
const large = new WeakSet<object>();

const stringify = (result: FormattedExecutionResult): string | Promise<string> =>
  result.data && large.has(result.data) ? stringifyLargeJson(result) : stringifyJson(result);

/**
 * Apollo parses and validates; this plugin answers by running a compiled form of the document. A
 * gateway could do so too, but for one Apollo creates objects that keep the whole request alive
 * until the next full garbage collection. Errors that are not the client's fault are logged with the
 * request's id.
 */
const compiledExecution = (log: FastifyBaseLogger): ApolloServerPlugin<Wrapped> => ({
  requestDidStart: async ({ contextValue: { context } }) => ({
    // Called just before a document that is not cached is parsed, and validated.
    parsingDidStart: () => turnstile.pass(context.viewer.accountId),
    validationDidStart: () => turnstile.pass(context.viewer.accountId),
    didEncounterErrors: async ({ errors }) => logCauses(log, context, errors),
    responseForOperation: async ({ document, request }) => {
      const given = request.variables ?? {};
      let result: ExecutionResult | null;
      try {
        result = await executeWithinLimits(document, context, given, request.operationName);
      } catch (error) {
        if (error instanceof InsufficientScope) return refusal(error);
        throw error;
      }
      // Apollo reports which operation it cannot find.
      if (!result) return null;
      const { data, errors } = result;
      if (data && context.budget.isLarge) large.add(data);
      if (errors) logCauses(log, context, errors);
      const formatted = errors?.map((error) => formatError(error.toJSON(), error));
      const singleResult = {
        ...(data === undefined ? {} : { data }),
        ...(formatted && { errors: formatted }),
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

/** The answer to a document that was not run at all. */
function refusal(fault: Fault): GraphQLResponse {
  const headers = new HeaderMap();
  const challenge = challengeOf(fault);
  if (challenge !== undefined) headers.set('www-authenticate', challenge);
  return {
    http: { headers, status: codes[fault.code].status },
    body: { kind: 'single', singleResult: { errors: [faultAsError(fault)] } },
  };
}

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
