/** Apollo Server, which parses, validates and caches documents, and has ours run them. */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger } from 'fastify';
import type { ExecutionResult, FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../context.ts';
import { codes, Fault, InsufficientScope } from '../errors.ts';
import { logError, refusalHeaders } from '../http/errors.ts';
import { stringifyJson } from '../json.ts';
import type { AnswerOnce } from '../keyed.ts';
import { stringifyLargeJson } from '../large_json.ts';
import { turnstile } from '../turnstile.ts';
import { documentCache, persistedQueryCache } from './documents.ts';
import { causeOfError, faultAsError, formatError } from './errors.ts';
import { executeWithinLimits } from './execute.ts';
import { limits } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import { answerKeyed, type Single, writtenText } from './keyed.ts';
import { schema } from './schema.ts';

/** Apollo adds to its context value, so ours is wrapped. */
export interface Wrapped {
  readonly context: Context;
  /** Whether the document is to be watched: subscriptions are, and nothing else is. */
  readonly isWatched: boolean;
  /** The key that came with it. */
  readonly sentKey?: string | undefined;
}

/**
 * @param introspection whether clients may introspect the schema
 * @param once answers mutations that come with a key
 */
export async function startApollo(
  log: FastifyBaseLogger,
  introspection: boolean,
  once: AnswerOnce,
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
      compiledExecution(log, once),
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

export const stringify = (result: FormattedExecutionResult): string | Promise<string> => {
  if (result.data && large.has(result.data)) return stringifyLargeJson(result);
  return writtenText(result) ?? stringifyJson(result);
};

/**
 * Apollo parses and validates; this plugin answers by running a compiled form of the document. A
 * gateway could do so too, but for one Apollo creates objects that keep the whole request alive
 * until the next full garbage collection. Errors that are not the client's fault are logged with the
 * request's id.
 */
const compiledExecution = (
  log: FastifyBaseLogger,
  once: AnswerOnce,
): ApolloServerPlugin<Wrapped> => ({
  requestDidStart: async ({ contextValue: { context, isWatched, sentKey } }) => ({
    // Called just before a document that is not cached is parsed, and validated.
    parsingDidStart: () => turnstile.pass(context.viewer.accountId),
    validationDidStart: () => turnstile.pass(context.viewer.accountId),
    didEncounterErrors: async ({ errors }) => logCauses(log, context, errors),
    responseForOperation: async (asked) => {
      const { document, operation, request } = asked;
      // Apollo's types say that there always is one, and reports which one it cannot find.
      if (!operation) return null;
      if ((operation.operation === 'subscription') !== isWatched)
        return refusal(misplaced(isWatched));
      const run = async (ctx: Context) => {
        const { variables = {}, operationName } = request;
        const result = await executeWithinLimits(document, ctx, variables, operationName);
        if (result?.errors) logCauses(log, ctx, result.errors);
        return responseOf(ctx, result ?? {});
      };
      const sent = operation.operation === 'mutation' ? sentKey : undefined;
      try {
        if (sent === undefined) return await run(context);
        return await answerKeyed(asked, context, { sent, once, run, write: stringify });
      } catch (error) {
        const refused = sent === undefined ? InsufficientScope : Fault;
        if (!(error instanceof refused)) throw error;
        logError(log.child({ reqId: context.requestId }), error);
        return refusal(error);
      }
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
function refusal(fault: Fault): Single {
  const headers = new HeaderMap(Object.entries(refusalHeaders(fault)));
  const { status } = codes[fault.code];
  return {
    http: { headers, status },
    body: { kind: 'single', singleResult: { errors: [faultAsError(fault)] } },
  };
}

function responseOf({ budget }: Context, { data, errors }: ExecutionResult): Single {
  if (data && budget.isLarge) large.add(data);
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
