/** The stored operations: the service's own GraphQL documents, one for each route. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  parse,
  visit,
} from 'graphql';
import { schema } from '../graphql/schema.ts';
import { fragmentsOf } from '../graphql/selection/fields.ts';
import { programDirectory } from '../lib/directories.ts';
import type { Route } from './routes.ts';

const folder = new URL('rest/operations/', programDirectory);

const readDocument = (file: string): DocumentNode =>
  parse(readFileSync(new URL(file, folder), 'utf8'), { noLocation: true });

const fragments = fragmentsOf(readDocument('fragments.graphql'));

/** Every stored operation by its name, with the fragments that it needs. A test has found them valid. */
export const operations: ReadonlyMap<string, DocumentNode> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql') && file !== 'fragments.graphql')
    .map((file) => [file.replace(/\.graphql$/, ''), withFragments(file)]),
);

function withFragments(file: string): DocumentNode {
  const operation = readDocument(file);
  const spread = new Set<FragmentDefinitionNode>();
  const collect = (node: DocumentNode | FragmentDefinitionNode) =>
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || spread.has(fragment)) return;
        spread.add(fragment);
        collect(fragment);
      },
    });
  collect(operation);
  return { ...operation, definitions: [...operation.definitions, ...spread] };
}

/**
 * The root field of an operation, and the type that has it.
 * @throws {Error} when the schema has no such field
 */
export function rootField(operation: string): {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
} {
  for (const parent of [schema.getQueryType(), schema.getMutationType()]) {
    const field = parent?.getFields()[operation];
    if (parent && field) return { parent, field };
  }
  throw new Error(`the schema has no ${operation}`);
}

/** The name of the type that an operation's `input` has. */
export function inputOf(operation: string): string | undefined {
  const input = rootField(operation).field.args.find(({ name }) => name === 'input');
  return input && getNamedType(input.type).name;
}

/** The fields of an input type, each with the name of its type. */
export function inputFieldsOf(name: string): ReadonlyMap<string, string> {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`the schema has no input ${name}`);
  return new Map(
    Object.values(type.getFields()).map((field) => [field.name, getNamedType(field.type).name]),
  );
}

/** The names of the arguments that an operation passes to its root field; REST has `If-Match` for `if_version`. */
export function argumentsPassed(operation: string): ReadonlySet<string> {
  const document = operations.get(operation);
  const variables = (document && getOperationAST(document)?.variableDefinitions) ?? [];
  return new Set(variables.map(({ variable }) => variable.name.value));
}

/** The arguments of a route's root field that its path does not have: they stand in the query string. */
export function argumentsBeside({ operation, path }: Pick<Route, 'operation' | 'path'>) {
  const passed = argumentsPassed(operation);
  const inPath = [...path.split('/'), ':account_id'];
  return rootField(operation).field.args.filter(
    ({ name }) => passed.has(name) && !inPath.includes(`:${name}`),
  );
}

/**
 * Whether clients may choose fields of a route's answer: of records, where nothing else is beside
 * the path.
 */
export const hasParts = (route: Pick<Route, 'method' | 'operation' | 'path' | 'body'>): boolean =>
  route.method !== 'DELETE' &&
  route.body !== 'batch' &&
  (route.body !== undefined || argumentsBeside(route).length === 0);

/** Whether a route answers with one record, by itself or in a payload. */
export const showsRecord = ({ method, operation }: Pick<Route, 'method' | 'operation'>): boolean =>
  method !== 'DELETE' && recordOf(operation) !== undefined;

/** The type of the one record that an operation returns, by itself or in a payload. */
export function recordOf(operation: string): string | undefined {
  const type = getNamedType(rootField(operation).field.type);
  if (!isObjectType(type)) return undefined;
  const { id, ...others } = type.getFields();
  if (id) return type.name;
  const types = Object.values(others).map(({ type: field }) => getNullableType(field));
  return types.filter(isObjectType).find((fieldType) => fieldType.getFields().id)?.name;
}
