import { ApolloServerErrorCode } from '@apollo/server/errors';
import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Context } from '../context.ts';
import { turnstile } from '../turnstile.ts';
import { markAsClients } from './budget.ts';
import { recordsOf } from './cost.ts';
import { execute, isKnown } from './execute.ts';
import { readOneByOne } from './few.ts';
import { excess, limits } from './limits.ts';
import { repeatsOf } from './repeats.ts';
import type { Variables } from './run.ts';
import { valuesOf } from './variables.ts';

/** Records from which on it takes longer to interpret a document for them than to compile it. */
const worthCompiling = 1000;

/** Values from which on reading them keeps the process busy for a millisecond. */
const worthWaiting = 1000;

/**
 * Executes a client's validated document, when it can be afforded.
 * @returns the result; without data when the operation cannot be told, may resolve too many records
 *   or is given too much to read
 */
export async function executeAffordable(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  operationName?: string,
): Promise<ExecutionResult> {
  const operation = getOperationAST(document, operationName);
  if (!operation) return { errors: [unresolved(operationName)] };
  if (!isKnown(operation)) await turnstile.pass(context.viewer.accountId);
  const records = recordsOf(document, operation, variables);
  if (records > limits.records) {
    return refused(excess(`${records} records that it may resolve`, limits.records));
  }
  const values = valuesOf(document, operation, variables, limits.values);
  if (values > limits.values) {
    const what = `more than ${limits.values} values in variables, counted at each use`;
    return refused(excess(what, limits.values));
  }
  if (values > worthWaiting) readOneByOne(context);
  markAsClients(operation);
  context.budget.repeats = repeatsOf(document);
  const answersMuch = records > worthCompiling;
  const result = await execute(document, context, variables, { operationName, answersMuch });
  if ((result.errors?.length ?? 0) <= limits.errors) return result;
  return { ...result, errors: result.errors?.slice(0, limits.errors) ?? [] };
}

const refused = (message: string): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })],
});

const unresolved = (name: string | undefined): GraphQLError =>
  new GraphQLError(
    name
      ? `Unknown operation named "${name}".`
      : 'Must provide operation name if query contains multiple operations.',
    { extensions: { code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE } },
  );
