import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { requireScopes } from '../auth/policy.ts';
import { everything, type RequiredScope } from '../auth/scopes.ts';
import type { Context } from '../context/context.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { inSpan } from '../lib/tracing.ts';
import { type BoundedContext, Bounds } from './guard/bounds.ts';
import { amountOf, costOf } from './guard/cost.ts';
import { excess, limits } from './guard/limits.ts';
import { repeatsOf } from './guard/repeats.ts';
import { scopesOf } from './guard/scopes.ts';
import { usesIn, valuesOf } from './guard/variables.ts';
import type { Run, Variables } from './operation.ts';
import { noteOperation, ofClients } from './operation_counts.ts';
import { planPassthrough } from './passthrough.ts';
import { interpreter, withCoercedVariables } from './run.ts';
import { fragmentsOf } from './selection/fields.ts';

/**
 * Runs one of the service's own operations, or a part of one; it is planned at the first call.
 * @param document with one operation, whose variables accept any value
 */
export function prepareStored(document: DocumentNode): Run {
  const prepare = (): Run => {
    const operation = getOperationAST(document);
    const plan = operation && planPassthrough(document, operation);
    if (!plan) throw new Error('the operation cannot be planned');
    return plan;
  };
  let run: Run | undefined;
  return (context, variables) => {
    run ??= prepare();
    return run(context, variables);
  };
}

/** The number of values from which reading them keeps the process busy for a millisecond. */
const manyValues = 1000;

/** How to run the operations that clients have sent; dropped together with their documents. */
const prepared = new WeakMap<OperationDefinitionNode, Run>();

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
  let run = prepared.get(operation);
  if (!run) {
    await eventLoopQueue.waitForTurn(context.viewer.accountId);
    run = prepared.get(operation) ?? prepareClientOperation(document, operation);
    prepared.set(operation, run);
  }
  const { trace } = context;
  const running = () => run(context, variables);
  const result = await (trace
    ? inSpan(trace, `${operation.operation} ${ofClients}`, attributesOf(operation), running)
    : running());
  noteOperation(ofClients, result.errors !== undefined);
  if (!result.errors || result.errors.length <= limits.errors) return result;
  return { ...result, errors: result.errors.slice(0, limits.errors) };
}

/** Characters of an operation's name that a span shows. */
const longestName = 100;

const attributesOf = ({ operation, name }: OperationDefinitionNode) => ({
  'graphql.operation.type': operation,
  'graphql.operation.name': name?.value.slice(0, longestName),
});

/**
 * Runs a client's operation within the limits. Whatever does not depend on its variables is computed once.
 */
function prepareClientOperation(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const fragments = fragmentsOf(document);
  const { records, isOpen } = costOf(operation, fragments);
  const uses = usesIn(operation, fragments);
  const repeats = repeatsOf(document);
  const [first, ...others] = operation.selectionSet.selections;
  // The one field of a subscription may have several beneath it that ask the database.
  const isOneField =
    first?.kind === Kind.FIELD && others.length === 0 && operation.operation !== 'subscription';
  const plan = planPassthrough(document, operation);
  const run = plan
    ? withCoercedVariables(document, operation, plan)
    : interpreter(document, operation);
  let needed: readonly RequiredScope[] | undefined;
  return (context, variables) => {
    if (context.viewer.scopes !== everything) {
      needed ??= scopesOf(operation, fragments);
      requireScopes(context.viewer, needed);
    }
    const max = amountOf(records, variables);
    if (max > limits.records) {
      return refusal(excess(`${max} records that it may resolve`, limits.records));
    }
    const values = valuesOf(uses, variables, limits.values);
    if (values > limits.values) {
      const what = `more than ${limits.values} values in variables, counted at each use`;
      return refusal(excess(what, limits.values));
    }
    const readsMuch = values > manyValues;
    context.budget.repeats = repeats;
    if (isOneField && !isOpen && !readsMuch) return run(context, variables);
    const bounds = new Bounds(context, isOpen, readsMuch);
    // Of several fields with a key none is done in parts, which would wait for what others have locked.
    const progress = isOneField ? context.progress : undefined;
    return runWithin({ ...context, bounds, progress }, run, variables);
  };
}

async function runWithin(
  context: BoundedContext & { readonly bounds: Bounds },
  run: Run,
  variables: Variables,
) {
  try {
    return await run(context, variables);
  } finally {
    await context.bounds.settled();
  }
}

const refusal = (message: string): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })],
});
