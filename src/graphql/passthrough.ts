/**
 * Running an operation whose records need no resolver: PostgreSQL writes them as the answer has
 * them, and nobody reads them on the way. Most operations are such, those of REST among them.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { JsonText } from '../json/json.ts';
import { repeatsOf } from './guard/repeats.ts';
import type { Run, Variables } from './operation.ts';
import { isShown } from './resolvers.ts';
import { schema } from './schema.ts';
import { type Fragments, fieldsOf, fragmentsOf, selectedOf } from './selection/fields.ts';
import { isRecord } from './selection/selection.ts';

/**
 * @returns what runs an operation with variables that are coerced; undefined where it selects
 *   anything else than one root field with records, or what only a resolver can tell
 */
export function showing(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Run | undefined {
  const [root, ...others] = operation.selectionSet.selections;
  const parentType = schema.getRootType(operation.operation);
  if (!parentType || root?.kind !== Kind.FIELD || others.length > 0) return;
  const fieldName = root.name.value;
  const field = parentType.getFields()[fieldName];
  const type = field && getNamedType(field.type);
  if (!field?.resolve || !isObjectType(type)) return;
  if (!isShown(fieldName) || !isShowable(document)) return;
  const { resolve, type: returnType } = field;
  const fragments = fragmentsOf(document);
  const parts = isRecord(type.name) ? [] : partsOf(type, root, fragments);
  const name = (root.alias ?? root.name).value;
  const readArguments = argumentsOf(field, root);
  const named = Object.fromEntries(fragments);
  const fieldNodes = [root];
  const path = { prev: undefined, key: name, typename: parentType.name };
  return async (context, variables): Promise<ExecutionResult> => {
    try {
      const given = readArguments(variables);
      // Written out, not spread, like whatever every request copies (`src/README.md`).
      const info = {
        schema,
        operation,
        fragments: named,
        rootValue: undefined,
        parentType,
        fieldName,
        fieldNodes,
        returnType,
        isShown: true,
        path,
        variableValues: variables,
      };
      const value: unknown = await resolve(undefined, given, context, info);
      const shown = value instanceof JsonText ? value : composed(Object(value), parts);
      const data: Record<string, unknown> = {};
      data[name] = shown;
      return { data };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const { message } = error;
      const located = new GraphQLError(message, { path: [name], originalError: error });
      const data: Record<string, unknown> = {};
      data[name] = null;
      return { data, errors: [located] };
    }
  };
}

/**
 * Whether a document has nothing that only its execution can decide: parts that variables leave out,
 * one value under several names, whose copies could be too many to build, and fields of objects other
 * than records.
 */
function isShowable(document: DocumentNode): boolean {
  let needsExecution = repeatsOf(document) > 1;
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Directive: () => {
        needsExecution = true;
      },
      Field: ({ name, alias }) => {
        const { value } = alias ?? name;
        const type = getNamedType(types.getType());
        const isPlain = isLeafType(type) || (isObjectType(type) && isRecord(type.name));
        const isInRecord = isRecord(types.getParentType()?.name ?? '');
        needsExecution ||= value in Object.prototype || (isInRecord && !isPlain);
      },
    }),
  );
  return !needsExecution;
}

/** A part of what has records in it, such as a page or a stage of a board, as the document names it. */
interface Part {
  readonly as: string;
  readonly field: string;
  readonly parts: readonly Part[];
  /** What `__typename` says. */
  readonly type: string;
}

function partsOf(type: GraphQLObjectType, node: FieldNode, fragments: Fragments): readonly Part[] {
  const read = (of: GraphQLObjectType, nodes: readonly FieldNode[]): readonly Part[] => {
    const fields = fieldsOf(selectedOf(nodes), (name) => fragments.get(name));
    return [...fields].map(([as, alike]) => {
      const field = alike[0]?.name.value ?? '';
      const inner = of.getFields()[field];
      const object = inner && getNamedType(inner.type);
      const isObject = isObjectType(object) && !isRecord(object.name);
      return { as, field, parts: isObject ? read(object, alike) : [], type: of.name };
    });
  };
  return read(type, [node]);
}

function composed(value: object, parts: readonly Part[]): object {
  const object: Record<string, unknown> = {};
  for (const { as, field, parts: beneath, type } of parts) {
    const inner: unknown = field === '__typename' ? type : Reflect.get(value, field);
    if (beneath.length === 0) object[as] = inner;
    else if (!Array.isArray(inner)) object[as] = composed(Object(inner), beneath);
    else object[as] = inner.map((each) => composed(Object(each), beneath));
  }
  return object;
}

/** @returns what reads the arguments of a field from variables */
function argumentsOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Variables {
  const literals: { readonly name: string; readonly value: unknown }[] = [];
  const named: { readonly name: string; readonly variable: string }[] = [];
  let isPlain = field.args.every(({ defaultValue }) => defaultValue === undefined);
  for (const { name, value } of node.arguments ?? []) {
    const type = field.args.find((one) => one.name === name.value)?.type;
    if (value.kind === Kind.VARIABLE) named.push({ name: name.value, variable: value.name.value });
    else if (type && isOneValue(value)) {
      literals.push({ name: name.value, value: valueFromAST(value, type) });
    } else isPlain = false;
  }
  if (!isPlain) return (variables) => getArgumentValues(field, node, variables);
  return (variables) => {
    const given: Record<string, unknown> = {};
    for (const { name, value } of literals) given[name] = value;
    for (const { name, variable } of named) {
      const value = variables[variable];
      if (value !== undefined) given[name] = value;
    }
    return given;
  };
}

/** Whether a literal has nothing in it that could be a variable, or that requests could share and alter. */
const isOneValue = ({ kind }: ValueNode): boolean => kind !== Kind.LIST && kind !== Kind.OBJECT;
