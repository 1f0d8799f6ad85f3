/** Apollo Server, which parses, validates and caches documents, and has ours run them. */
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
import type { FastifyBaseLogger } from 'fastify';
import type { ExecutionResult, FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../context.ts';
import { codes, Fault, InsufficientScope } from '../errors.ts';
import { challengeOf, logError } from '../http/errors.ts';
import { stringifyJson } from '../json.ts';
import { stringifyLargeJson } from '../large_json.ts';
import { turnstile } from '../turnstile.ts';
import { documentCache, persistedQueryCache } from './documents.ts';
import { causeOfError, faultAsError, formatError } from './errors.ts';
import { executeWithinLimits } from './execute.ts';
import { limits } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import { schema } from './schema.ts';

/** Apollo adds to its context value, so ours is wrapped. */
export interface Wrapped {
  readonly context: Context;
  /** Whether the document is to be watched: subscriptions are, and nothing else is. */
  readonly isWatched: boolean;
}

/** @param introspection whether clients may introspect the schema */
export async function startApollo(
  log: FastifyBaseLogger,
  introspection: boolean,
): Promise<ApolloServer<Wrapped>> {
  const apollo = new ApolloServer<Wrapped>({
    schema,
    introspection,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [withinLimits],
    validationOptions: { maxErrors: limits.errors, hideSuggestions: !introspection },
    documentStore: documentCache(),
    persistedQueries: { cache: persistedQueryCache(), ttl: null },
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !introspection,
    stringifyResult: stringify,
    stopOnTerminationSignals: false,
    logger: log,
    formatError,
    plugins: [
      compiledExecution(log),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Data that is serialised in parts, because it is large. */
const large = new WeakSet<object>();

export const stringify = (result: FormattedExecutionResult): string | Promise<string> =>
  result.data && large.has(result.data) ? stringifyLargeJson(result) : stringifyJson(result);

/**
 * Apollo parses and validates; this plugin answers by running a compiled form of the document. A
 * gateway could do so too, but for one Apollo creates objects that keep the whole request alive
 * until the next full garbage collection. Errors that are not the client's fault are logged with the
 * request's id.
 */
const compiledExecution = (log: FastifyBaseLogger): ApolloServerPlugin<Wrapped> => ({
  requestDidStart: async ({ contextValue: { context, isWatched } }) => ({
    // Called just before a document that is not cached is parsed, and validated.
    parsingDidStart: () => turnstile.pass(context.viewer.accountId),
    validationDidStart: () => turnstile.pass(context.viewer.accountId),
    didEncounterErrors: async ({ errors }) => logCauses(log, context, errors),
    responseForOperation: async ({ document, operation, request }) => {
      const given = request.variables ?? {};
      // Apollo's types say that there always is one.
      if (operation && (operation.operation === 'subscription') !== isWatched)
        return refusal(misplaced(isWatched));
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

const misplaced = (isWatched: boolean): Fault =>
  new Fault('BAD_USER_INPUT', [
    isWatched
      ? 'Nothing but a subscription can be watched: POST /graphql takes queries and mutations'
      : 'A subscription is answered by POST /graphql/stream, with Server-Sent Events',
  ]);

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
