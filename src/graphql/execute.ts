import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { requireScopes } from '../auth/policy.ts';
import { everything, type Needed } from '../auth/scopes.ts';
import type { Context } from '../context/context.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { type Bounded, Bounds } from './guard/bounds.ts';
import { amountOf, costOf } from './guard/cost.ts';
import { excess, limits } from './guard/limits.ts';
import { repeatsOf } from './guard/repeats.ts';
import { scopesOf } from './guard/scopes.ts';
import { usesIn, valuesOf } from './guard/variables.ts';
import type { Run, Variables } from './operation.ts';
import { showing } from './passthrough.ts';
import { coercing, compiling, interpreting, traitsOf } from './run.ts';
import { schema } from './schema.ts';
import { fragmentsOf } from './selection/fields.ts';

/** Runs one of the service's own operations, which is prepared at the first call. */
export function own(document: DocumentNode): Run {
  const prepare = (): Run => {
    const operation = getOperationAST(document);
    const shown = operation && showing(document, operation);
    if (shown) return shown;
    const program = compileQuery(schema, document);
    if (!isCompiledQuery(program)) throw new Error('the operation cannot be compiled');
    return (context, variables) => program.query(undefined, context, variables);
  };
  let run: Run | undefined;
  return (context, variables) => {
    run ??= prepare();
    return run(context, variables);
  };
}

/**
 * Runs a part of one of the service's own operations that a client has chosen: it is interpreted until
 * it comes again, because there are many parts of each.
 */
export function choosable(document: DocumentNode): Run {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('the document has no operation');
  const shown = showing(document, operation);
  if (shown) return shown;
  let run = interpretedFirst(document, operation, (better) => {
    run = better;
  });
  return (context, variables) => run(context, variables);
}

/** The number of records from which interpreting a document takes longer than compiling it. */
const worthCompiling = 1000;

/** The number of values from which reading them keeps the process busy for a millisecond. */
const manyValues = 1000;

/** How to run the operations that clients have sent; dropped together with their documents. */
const known = new WeakMap<OperationDefinitionNode, Run>();

/**
 * Executes a client's validated document within the limits.
 * @returns the result, without data when the operation may resolve too many records or its variables
 *   hold too many values; null when the document has no such operation
 * @throws {Fault} INSUFFICIENT_SCOPE when the viewer's token may not read all that it selects
 */
export async function executeWithinLimits(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  operationName?: string,
): Promise<ExecutionResult | null> {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  let run = known.get(operation);
  if (!run) {
    await eventLoopQueue.waitForTurn(context.viewer.accountId);
    run = known.get(operation) ?? limited(document, operation);
    known.set(operation, run);
  }
  const result = await run(context, variables);
  if (!result.errors || result.errors.length <= limits.errors) return result;
  return { ...result, errors: result.errors.slice(0, limits.errors) };
}

/**
 * Runs a client's operation within the limits. Whatever does not depend on its variables is computed
 * once. It is interpreted until it is sent again: compiling takes ten times as long, and a client
 * that writes a new document for each request sends none of them twice.
 */
function limited(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const fragments = fragmentsOf(document);
  const { records, isOpen } = costOf(operation, fragments);
  const uses = usesIn(operation, fragments);
  const repeats = repeatsOf(document);
  const [first, ...others] = operation.selectionSet.selections;
  // The one field of a subscription may have several beneath it that ask the database.
  const isOneField =
    first?.kind === Kind.FIELD && others.length === 0 && operation.operation !== 'subscription';
  const shown = isOneField ? showing(document, operation) : undefined;
  const show = shown && coercing(document, operation, shown);
  let needed: readonly Needed[] | undefined;
  let run: Run | undefined;
  const executing = (most: number): Run => {
    run ??=
      most > worthCompiling
        ? compiled(document, operation)
        : interpretedFirst(document, operation, (better) => {
            run = better;
          });
    return run;
  };
  return (context, variables) => {
    if (context.viewer.scopes !== everything) {
      needed ??= scopesOf(operation, fragments);
      requireScopes(context.viewer, needed);
    }
    const most = amountOf(records, variables);
    if (most > limits.records) {
      return refused(excess(`${most} records that it may resolve`, limits.records));
    }
    const values = valuesOf(uses, variables, limits.values);
    if (values > limits.values) {
      const what = `more than ${limits.values} values in variables, counted at each use`;
      return refused(excess(what, limits.values));
    }
    const readsMuch = values > manyValues;
    const way = show && !readsMuch ? show : executing(most);
    context.budget.repeats = repeats;
    if (isOneField && !isOpen && !readsMuch) return way(context, variables);
    const bounds = new Bounds(context, isOpen, readsMuch);
    // Of several fields with a key none is done in parts, which would wait for what others have locked.
    const progress = isOneField ? context.progress : undefined;
    return runWithin({ ...context, bounds, progress }, way, variables);
  };
}

async function runWithin(
  context: Bounded & { readonly bounds: Bounds },
  run: Run,
  variables: Variables,
) {
  try {
    return await run(context, variables);
  } finally {
    await context.bounds.settled();
  }
}

/** Interprets a document; its second call has it replaced by its compiled form. */
function interpretedFirst(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  replace: (better: Run) => void,
): Run {
  const interpreted = interpreting(document, operation);
  let calls = 0;
  return (context, variables) => {
    calls += 1;
    if (calls === 2) {
      void eventLoopQueue
        .waitForTurn(context.viewer.accountId)
        .then(() => replace(compiled(document, operation)));
    }
    return interpreted(context, variables);
  };
}

function compiled(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const { isCompilable, asksForSchema } = traitsOf(document);
  if (isCompilable && !asksForSchema) return compiling(document, operation);
  const interpreted = interpreting(document, operation);
  if (!asksForSchema) return interpreted;
  return async (context, variables) => {
    // Introspection never waits for the database, and keeps the process busy for milliseconds.
    await eventLoopQueue.waitForTurn(context.viewer.accountId);
    return interpreted(context, variables);
  };
}

const refused = (message: string): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })],
});
