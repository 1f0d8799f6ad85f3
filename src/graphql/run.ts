/** Two ways to run an operation, interpreted or compiled, which a client cannot tell apart. */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLScalarType,
  getVariableValues,
  execute as interpret,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  type TypeNode,
  ValidationContext,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context/context.ts';
import type { Run, Variables } from './operation.ts';
import { schema } from './schema.ts';
import { type Fragments, fragmentsOf } from './selection/fields.ts';
import { isRelation, relationKey } from './selection/selection.ts';

/** Walks the document at every run. */
export function interpreting(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const refusal = refusing(document, operation);
  const operationName = operation.name?.value ?? null;
  return async (contextValue, variableValues) =>
    refusal(variableValues) ??
    unified(
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
 * Compiles the document, which takes as long as interpreting it ten times. Variables are coerced by
 * graphql-js all the same: the compiled query would accept other objects and lists, and word faults
 * differently.
 */
export function compiling(document: DocumentNode, operation: OperationDefinitionNode): Run {
  const query = compileQuery(schema, document, operation.name?.value ?? '');
  if (!isCompiledQuery(query)) return interpreting(document, operation);
  const refusal = refusing(document, operation);
  const definitions = operation.variableDefinitions ?? [];
  const coerce = (variables: Variables) =>
    getVariableValues(schema, definitions, variables, { hideSuggestions: true });
  const areScalars = definitions.every(({ type }) => scalarOf(type) !== undefined);
  return async (context, variables) => {
    const refused = refusal(variables);
    if (refused) return refused;
    const given = areScalars ? { coerced: variables } : coerce(variables);
    if (given.errors) return unified({ errors: given.errors });
    const result = await query.query(undefined, context, given.coerced);
    const wasRefused = areScalars && result.data === undefined && result.errors;
    const errors = wasRefused ? coerce(variables).errors : undefined;
    return unified(errors ? { errors } : result);
  };
}

/** The scalar that a type is, if it is one. */
function scalarOf(type: TypeNode): GraphQLScalarType | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return scalarOf(type.type);
  const named = type.kind === Kind.NAMED_TYPE ? schema.getType(type.name.value) : undefined;
  return isScalarType(named) ? named : undefined;
}

/** Has graphql-js coerce a client's variables for what runs its operation. */
export function coercing(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  run: Run,
): Run {
  const refusal = refusing(document, operation);
  const definitions = operation.variableDefinitions ?? [];
  const plainly = coercingPlainly(definitions);
  return (context, variables) => {
    const refused = refusal(variables);
    if (refused) return refused;
    const plain = plainly(variables);
    if (plain) return run(context, plain);
    const given = getVariableValues(schema, definitions, variables, { hideSuggestions: true });
    return given.errors ? unified({ errors: given.errors }) : run(context, given.coerced);
  };
}

/**
 * @returns what coerces variables that were all sent, are scalars and not null; undefined for any other, and for
 *   values that are wrong
 */
function coercingPlainly(
  definitions: readonly VariableDefinitionNode[],
): (variables: Variables) => Variables | undefined {
  const scalars = definitions.map(({ variable, type }) => ({
    name: variable.name.value,
    scalar: scalarOf(type),
  }));
  return (variables) => {
    const coerced: Record<string, unknown> = Object.create(null);
    for (const { name, scalar } of scalars) {
      const value = Object.hasOwn(variables, name) ? variables[name] : null;
      if (!scalar || value === null || value === undefined) return undefined;
      try {
        coerced[name] = scalar.parseValue(value);
      } catch {
        return undefined;
      }
      if (coerced[name] === undefined) return undefined;
    }
    return coerced;
  };
}

/**
 * Refuses null for a variable that is used where null is not allowed, before anything runs. GraphQL
 * (5.8.5) accepts a nullable variable there when there is a default: its null would fail half-way
 * through execution, and a compiled query takes it for false in a condition.
 * @returns a function that returns the refusal of a call's variables, if there is one
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
function unified(result: ExecutionResult): ExecutionResult {
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

/** Traits of a document that decide how it is run. */
interface Traits {
  /**
   * Whether it can be compiled. A compiled query turns literals into text, which loses the order of
   * an object's keys and the digits of long numbers; it keeps variables and answers in plain objects,
   * on which some names are taken; it knows relations by the schema's names, not by aliases; and it takes
   * the conditions of a field that is selected twice for those of one of the two.
   */
  readonly isCompilable: boolean;
  /** Whether it introspects the schema, for which compiling takes ten times as long. */
  readonly asksForSchema: boolean;
}

/** @param document a valid one */
export function traitsOf(document: DocumentNode): Traits {
  let isCompilable = true;
  let asksForSchema = false;
  let hasConditions = false;
  let selectsTwice = false;
  const fragments = fragmentsOf(document);
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
      Directive: () => {
        hasConditions = true;
      },
      SelectionSet: (set) => {
        selectsTwice ||= repeatsName(set, fragments, new Set());
      },
      Field: ({ name, alias }) => {
        isCompilable &&= !alias || !isRelation(types.getParentType()?.name ?? '', name.value);
      },
    }),
  );
  return { isCompilable: isCompilable && !(hasConditions && selectsTwice), asksForSchema };
}

/**
 * Whether fields of one selection are to be merged.
 * @param seen receives the names of fields and fragments that are in it
 */
function repeatsName(set: SelectionSetNode, fragments: Fragments, seen: Set<string>): boolean {
  return set.selections.some((node) => {
    if (node.kind === Kind.INLINE_FRAGMENT) return repeatsName(node.selectionSet, fragments, seen);
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
    const { value } = isSpread ? node.name : (node.alias ?? node.name);
    const id = isSpread ? `...${value}` : value;
    if (seen.has(id)) return true;
    seen.add(id);
    const spread = isSpread ? fragments.get(value) : undefined;
    return spread !== undefined && repeatsName(spread.selectionSet, fragments, seen);
  });
}

/** Relations were fetched with their record, which holds them under the client's names. */
const fieldResolver: GraphQLFieldResolver<Readonly<Record<string, unknown>>, Context> = (
  record,
  _given,
  _context,
  { parentType, fieldName, path },
) =>
  record[
    isRelation(parentType.name, fieldName) ? relationKey(fieldName, String(path.key)) : fieldName
  ];
