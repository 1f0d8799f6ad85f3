import { ApolloServerErrorCode } from '@apollo/server/errors';
import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Context } from '../context.ts';
import { markAsClients } from './budget.ts';
import { recordsOf } from './cost.ts';
import { execute, type Variables } from './execute.ts';
import { excess, limits } from './limits.ts';

/** Errors that are told of one request; what went wrong a thousand times is told soon enough. */
const mostErrors = 20;

/**
 * Executes a client's validated document, when it can be afforded.
 * @returns the result; without data when the operation cannot be told or may resolve too many
 *   records
 */
export async function executeAffordable(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  operationName?: string,
): Promise<ExecutionResult> {
  const operation = getOperationAST(document, operationName);
  if (!operation) return { errors: [unresolved(operationName)] };
  const records = recordsOf(document, operation, variables);
  if (records > limits.records) {
    const message = excess(`${records} records that it may resolve`, limits.records);
    return { errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })] };
  }
  markAsClients(operation);
  const result = await execute(document, context, variables, operationName);
  if ((result.errors?.length ?? 0) <= mostErrors) return result;
  return { ...result, errors: result.errors?.slice(0, mostErrors) ?? [] };
}

const unresolved = (name: string | undefined): GraphQLError =>
  new GraphQLError(
    name
      ? `Unknown operation named "${name}".`
      : 'Must provide operation name if query contains multiple operations.',
    { extensions: { code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE } },
  );
