/** Apollo Server, which parses, validates and caches documents, and has ours run them. */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger } from 'fastify';
import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
} from 'graphql';
import type { Context } from '../context/context.ts';
import { rehearse } from '../context/dry_run.ts';
import type { AnswerOnce } from '../context/idempotency.ts';
import { codes, Fault, InsufficientScope } from '../errors/errors.ts';
import { logError, refusalHeaders } from '../http/errors.ts';
import { requireKey } from '../http/headers/idempotency_key.ts';
import { stringifyJson } from '../json/json.ts';
import { stringifyLargeJson } from '../json/large_json.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { type Documents, persistedQueryCache } from './document_cache.ts';
import { causeOfError, faultAsError, formatError } from './errors.ts';
import { executeWithinLimits } from './execute.ts';
import { limits } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import { answerKeyed, type Single, writtenText } from './idempotency.ts';
import type { OperationContext, Variables } from './operation.ts';
import { schema } from './schema.ts';

interface Options {
  /** Whether clients may introspect the schema. */
  readonly introspection: boolean;
  readonly documents: Documents;
  /** Answers mutations that come with a key. */
  readonly once: AnswerOnce;
}

export async function startApollo(
  log: FastifyBaseLogger,
  { introspection, documents, once }: Options,
): Promise<ApolloServer<OperationContext>> {
  const apollo = new ApolloServer<OperationContext>({
    schema,
    introspection,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [withinLimits],
    validationOptions: { maxErrors: limits.errors, hideSuggestions: !introspection },
    documentStore: documents,
    persistedQueries: { cache: persistedQueryCache(), ttl: null },
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !introspection,
    stringifyResult: stringify,
    stopOnTerminationSignals: false,
    logger: log,
    formatError,
    plugins: [
      plannedExecution(log, once),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Data that is serialised in parts, because it is large. */
const largeData = new WeakSet<object>();

export const stringify = (result: FormattedExecutionResult): string | Promise<string> => {
  if (result.data && largeData.has(result.data)) return stringifyLargeJson(result);
  return writtenText(result) ?? stringifyJson(result);
};

/**
 * Apollo parses and validates; this plugin answers by running a compiled form of the document. A
 * gateway could do so too, but for one Apollo creates objects that keep the whole request alive
 * until the next full garbage collection. Errors that are not the client's fault are logged with the
 * request's id.
 */
const plannedExecution = (
  log: FastifyBaseLogger,
  once: AnswerOnce,
): ApolloServerPlugin<OperationContext> => ({
  requestDidStart: async ({ contextValue: { context, isWatched, sentKey, isDryRun } }) => ({
    // Called just before a document that is not cached is parsed, and validated.
    parsingDidStart: () => eventLoopQueue.waitForTurn(context.viewer.accountId),
    validationDidStart: () => eventLoopQueue.waitForTurn(context.viewer.accountId),
    didEncounterErrors: async ({ errors }) => logCauses(log, context, errors),
    responseForOperation: async (requestContext) => {
      const { document, operation, request } = requestContext;
      // Apollo's types say that there always is one, and reports which one it cannot find.
      if (!operation) return null;
      if ((operation.operation === 'subscription') !== isWatched)
        return refusal(misplaced(isWatched));
      const { variables, operationName } = request;
      const run = (ctx: Context) => runOperation(log, ctx, { document, variables, operationName });
      const isMutation = operation.operation === 'mutation';
      const key = isMutation ? sentKey : undefined;
      if (isMutation && isDryRun)
        return orRefusal(log, context, Fault, () => tried(context, run, key)).then(asDryRun);
      if (key === undefined) return orRefusal(log, context, InsufficientScope, () => run(context));
      return orRefusal(log, context, Fault, () =>
        answerKeyed(requestContext, context, { key, once, run, write: stringify }),
      );
    },
  }),
  unexpectedErrorProcessingRequest: async ({ error, requestContext }) =>
    logError(() => log.child(bindingsOf(requestContext.contextValue.context)), error),
});

/** A document with what was sent beside it. */
export interface ClientDocument {
  readonly document: DocumentNode;
  readonly variables?: Variables | undefined;
  readonly operationName?: string | undefined;
}

/** The answer to a valid document that was sent without a key. */
export const answerTo = (
  log: FastifyBaseLogger,
  context: Context,
  clientDocument: ClientDocument,
): Promise<Single> =>
  orRefusal(log, context, InsufficientScope, () => runOperation(log, context, clientDocument));

async function runOperation(
  log: FastifyBaseLogger,
  ctx: Context,
  clientDocument: ClientDocument,
): Promise<Single> {
  const { document, variables = {}, operationName } = clientDocument;
  const result = await executeWithinLimits(document, ctx, variables, operationName);
  if (result?.errors) logCauses(log, ctx, result.errors);
  return responseOf(ctx, result ?? {});
}

/** The answer that a mutation would get; nothing of it is kept, so a key means nothing to it. */
function tried(
  context: Context,
  run: (context: Context) => Promise<Single>,
  key: string | undefined,
): Promise<Single> {
  if (key !== undefined) requireKey(key);
  return rehearse(context, run);
}

function asDryRun(answer: Single): Single {
  answer.http.headers.set('preference-applied', 'dry-run');
  return answer;
}

/** @param refused the faults for which the answer is not that of a document that was run */
async function orRefusal(
  log: FastifyBaseLogger,
  context: Context,
  refused: typeof Fault | typeof InsufficientScope,
  answer: () => Promise<Single>,
): Promise<Single> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof refused)) throw error;
    logError(() => log.child(bindingsOf(context)), error);
    return refusal(error);
  }
}

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
  if (data && budget.isLarge) largeData.add(data);
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

/** By which the log correlates what concerns one request. */
const bindingsOf = ({ requestId, trace }: Context) => ({ reqId: requestId, trace_id: trace?.id });

function logCauses(
  log: FastifyBaseLogger,
  context: Context,
  errors: readonly GraphQLError[],
): void {
  const causes = new Set(errors.map(causeOfError));
  causes.delete(undefined);
  if (causes.size === 0) return;
  const own = log.child(bindingsOf(context));
  for (const cause of causes) logError(() => own, cause);
}
