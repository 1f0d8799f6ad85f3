/** Running an operation by graphql-js, and what it checks and words for any other way. */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  getVariableValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  ValidationContext,
} from 'graphql';
import type { Context } from '../context/context.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { limits } from './guard/limits.ts';
import type { Run, Variables } from './operation.ts';
import { schema } from './schema.ts';
import { keyOf } from './selection/relations.ts';

/**
 * Walks the document at every run, which may keep the process busy for milliseconds: it waits for a turn
 * of the event loop first.
 */
export function interpreter(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const refusal = nullVariableGuard(document, operation);
  const operationName = operation.name?.value ?? null;
  return async (contextValue, variableValues) => {
    const refused = refusal(variableValues);
    if (refused) return refused;
    await eventLoopQueue.waitForTurn(contextValue.viewer.accountId);
    return normaliseErrors(
      await execute({
        schema,
        document,
        operationName,
        contextValue,
        variableValues,
        fieldResolver,
        hideSuggestions: true,
      }),
    );
  };
}

/** Has graphql-js coerce a client's variables for what runs its operation. */
export function withCoercedVariables(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  run: Run,
): Run {
  const refusal = nullVariableGuard(document, operation);
  const definitions = operation.variableDefinitions ?? [];
  return (context, variables) => {
    const refused = refusal(variables);
    if (refused) return refused;
    const values = getVariableValues(schema, definitions, variables, {
      hideSuggestions: true,
      maxErrors: limits.errors,
    });
    return values.errors
      ? normaliseErrors({ errors: values.errors })
      : run(context, values.coerced);
  };
}

/**
 * Refuses null for a variable that is used where null is not allowed, before anything runs. GraphQL
 * (5.8.5) accepts a nullable variable there when there is a default: its null would fail half-way
 * through execution.
 * @returns a function that returns the refusal of a call's variables, if there is one
 */
function nullVariableGuard(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => ExecutionResult | undefined {
  const nullable = new Set(
    operation.variableDefinitions
      ?.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  if (nullable.size === 0) return () => undefined;
  const notNull = new ValidationContext(schema, document, new TypeInfo(schema), () => undefined)
    .getRecursiveVariableUsages(operation)
    .filter(({ node, type }) => nullable.has(node.name.value) && isNonNullType(type))
    .map(({ node }) => node.name.value);
  return (variables) => {
    const missing = notNull.find((name) => variables[name] === null);
    if (missing === undefined) return undefined;
    const message = `Variable "$${missing}" must not be null: it is used where a value is needed.`;
    return { errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })] };
  };
}

/**
 * Makes errors alike, however they came about. Those without a path concern no field: nothing was
 * run, and the variables or the operation are at fault. Those of fields get extensions, on which
 * readers of errors rely, and lose their locations in the document; they come in its order, not in the order in
 * which the fields failed, which is chance.
 */
function normaliseErrors(result: ExecutionResult): ExecutionResult {
  const { data, errors } = result;
  if (!errors) return result;
  if (errors.some(({ path }) => path)) {
    const places = new Map(Object.keys(data ?? {}).map((key, at) => [key, at]));
    const placeOf = ({ path }: GraphQLError) => places.get(String(path?.[0])) ?? 0;
    const inOrder = errors.toSorted((one, other) => placeOf(one) - placeOf(other));
    return { data: data ?? null, errors: inOrder.map(complete) };
  }
  const extensions = { code: 'BAD_USER_INPUT' };
  return {
    errors: errors.map(
      ({ message, nodes }) => new GraphQLError(message, { nodes: nodes ?? null, extensions }),
    ),
  };
}

const complete = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path: path ?? null, originalError: originalError ?? null });

/** Relations were fetched with their record, which holds them under the client's names. */
const fieldResolver: GraphQLFieldResolver<Readonly<Record<string, unknown>>, Context> = (
  record,
  _given,
  _context,
  { parentType, fieldName, path },
) => record[keyOf(parentType.name, fieldName, String(path.key))];
