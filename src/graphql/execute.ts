import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Context } from '../context.ts';
import { turnstile } from '../turnstile.ts';
import { compiling, interpreting, type Run, traitsOf, type Variables } from './run.ts';

/** How an operation is run; it goes when its document does. */
const known = new WeakMap<OperationDefinitionNode, Run>();

/** Whether an operation was executed before. */
export const isKnown = (operation: OperationDefinitionNode): boolean => known.has(operation);

export interface Options {
  /** Needed when the document has several operations. */
  readonly operationName?: string | undefined;
  /** Whether the answer may be so large that the document is worth compiling for it alone. */
  readonly answersMuch?: boolean;
}

/**
 * Executes a validated document in this process. The service's own are compiled. A client's is
 * interpreted until it comes again: compiling takes as long as interpreting ten times, and who
 * writes a new document for each request sends none of them twice.
 * @throws {Error} when the document has no such operation
 */
export function execute(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  { operationName, answersMuch = false }: Options = {},
): Promise<ExecutionResult> {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error('the document has no such operation');
  let run = known.get(operation);
  if (!run) {
    const lasts = context.stored || answersMuch;
    run = lasts ? lasting(document, operation, context.stored) : onTrial(document, operation);
    known.set(operation, run);
  }
  return run(context, variables);
}

/** Interprets, until the second call has what lasts put in its place. */
function onTrial(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const interpreted = interpreting(document, operation);
  let calls = 0;
  return (context, variables) => {
    calls += 1;
    if (calls === 2) {
      void turnstile.pass(context.viewer.accountId).then(() => {
        known.set(operation, lasting(document, operation, false));
      });
    }
    return interpreted(context, variables);
  };
}

function lasting(document: DocumentNode, operation: OperationDefinitionNode, isOwn: boolean): Run {
  const { isCompilable, asksForSchema } = traitsOf(document);
  if (isCompilable && !asksForSchema) return compiling(document, operation, isOwn);
  const interpreted = interpreting(document, operation);
  if (!asksForSchema) return interpreted;
  return async (context, variables) => {
    // It is answered at once, in as many milliseconds as a new document takes.
    await turnstile.pass(context.viewer.accountId);
    return interpreted(context, variables);
  };
}

/** The error behind a GraphQL error: what a resolver threw, if it was a resolver. */
export const causeOf = (error: GraphQLError): unknown => error.originalError ?? error;
