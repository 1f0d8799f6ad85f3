/** The two ways to run an operation of a document. A client cannot tell them apart. */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  getVariableValues,
  execute as interpret,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type TypeNode,
  ValidationContext,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import { schema } from './schema.ts';
import { isRelation, relationKey } from './selection.ts';

export type Variables = Readonly<Record<string, unknown>>;

export type Run = (
  context: Context,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Walks the document at each run. */
export function interpreting(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const refusal = refusing(document, operation);
  const operationName = operation.name?.value ?? null;
  return async (contextValue, variableValues) =>
    refusal(variableValues) ??
    told(
      await interpret({
        schema,
        document,
        operationName,
        contextValue,
        variableValues,
        fieldResolver,
        hideSuggestions: true,
      }),
    );
}

/**
 * Makes a program of the document, which takes as long as interpreting it ten times. A program alone
 * would take other objects and lists for variables than the interpreter does, and name the faults of
 * all otherwise.
 */
export function compiling(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const query = compileQuery(schema, document, operation.name?.value ?? '');
  if (!isCompiledQuery(query)) return interpreting(document, operation);
  const refusal = refusing(document, operation);
  const definitions = operation.variableDefinitions ?? [];
  const coerce = (variables: Variables) =>
    getVariableValues(schema, definitions, variables, { hideSuggestions: true });
  const areScalars = definitions.every(({ type }) => isScalar(type));
  return async (context, variables) => {
    const refused = refusal(variables);
    if (refused) return refused;
    const given = areScalars ? { coerced: variables } : coerce(variables);
    if (given.errors) return told({ errors: given.errors });
    const result = await query.query(undefined, context, given.coerced);
    const wasRefused = areScalars && result.data === undefined && result.errors;
    const errors = wasRefused ? coerce(variables).errors : undefined;
    return told(errors ? { errors } : result);
  };
}

function isScalar(type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isScalar(type.type);
  return type.kind === Kind.NAMED_TYPE && isScalarType(schema.getType(type.name.value));
}

/**
 * Refuses null for a variable where a value must be given, before anything runs. A nullable variable
 * may stand there when there is a default (GraphQL, 5.8.5): its null would be an error in
 * mid-execution, and as a condition a program takes it for false.
 * @returns the refusal of a call's variables, if they are refused
 */
function refusing(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => ExecutionResult | undefined {
  const nullable = new Set(
    operation.variableDefinitions
      ?.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  if (nullable.size === 0) return () => undefined;
  const demanded = new ValidationContext(schema, document, new TypeInfo(schema), () => undefined)
    .getRecursiveVariableUsages(operation)
    .filter(({ node, type }) => nullable.has(node.name.value) && isNonNullType(type))
    .map(({ node }) => node.name.value);
  return (variables) => {
    const missing = demanded.find((name) => variables[name] === null);
    if (missing === undefined) return undefined;
    const message = `Variable "$${missing}" must not be null: it is used where a value is needed.`;
    return { errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })] };
  };
}

/**
 * An error without a path is of no field: nothing was run, and the variables or the operation are at
 * fault. Those of fields are told with extensions, which every reader of errors counts on, and
 * without places in the document.
 */
function told(result: ExecutionResult): ExecutionResult {
  const { data, errors } = result;
  if (!errors) return result;
  if (errors.some(({ path }) => path)) return { data: data ?? null, errors: errors.map(complete) };
  const extensions = { code: 'BAD_USER_INPUT' };
  return {
    errors: errors.map(
      ({ message, nodes }) => new GraphQLError(message, { nodes: nodes ?? null, extensions }),
    ),
  };
}

const complete = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path: path ?? null, originalError: originalError ?? null });

/** What of a document decides how it is run. */
export interface Traits {
  /**
   * Whether it can be a program. One has its literals as text, in which an object's keys and long
   * numbers do not survive; it keeps variables and answers in objects, which have some names
   * already; and it calls relations as the schema does, under whose names a record has them.
   */
  readonly isCompilable: boolean;
  /** Whether it asks what the schema holds: a program that tells it takes ten times as long to make. */
  readonly asksForSchema: boolean;
}

export function traitsOf(document: DocumentNode): Traits {
  let isCompilable = true;
  let asksForSchema = false;
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      ObjectValue: () => {
        isCompilable = false;
      },
      Name: ({ value }) => {
        isCompilable &&= !(value in Object.prototype);
        asksForSchema ||= value === '__schema' || value === '__type';
      },
      Field: ({ name, alias }) => {
        isCompilable &&= !alias || !isRelation(types.getParentType()?.name ?? '', name.value);
      },
    }),
  );
  return { isCompilable, asksForSchema };
}

/** What lies beneath a record was fetched with it, and is there under the name the client gave it. */
const fieldResolver: GraphQLFieldResolver<Readonly<Record<string, unknown>>, Context> = (
  record,
  _given,
  _context,
  { parentType, fieldName, path },
) =>
  record[
    isRelation(parentType.name, fieldName) ? relationKey(fieldName, String(path.key)) : fieldName
  ];
