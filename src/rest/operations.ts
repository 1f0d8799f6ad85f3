/**
 * The stored operations: the service's own GraphQL documents, one for each route. They are made of the schema: the root
 * field with its arguments, and what `fragments.graphql` says that is shown of each type.
 */
import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
  parse,
  visit,
} from 'graphql';
import { schema } from '../graphql/schema.ts';
import { fragmentsOf } from '../graphql/selection/fields.ts';
import { programDirectory } from '../lib/directories.ts';
import { type Route, routes } from './routes.ts';

const fragments = fragmentsOf(
  parse(readFileSync(new URL('rest/fragments.graphql', programDirectory), 'utf8'), {
    noLocation: true,
  }),
);

/** Whether an argument of a root field is one of REST's as well, which has `If-Match` for `if_version`. */
export const isPassed = ({ name }: { readonly name: string }): boolean => name !== 'if_version';

const fragmentOn = ({ name }: GraphQLObjectType, ending: '_fields' | '_with_relations') =>
  [...fragments.values()].find(
    (fragment) =>
      fragment.typeCondition.name.value === name && fragment.name.value.endsWith(ending),
  )?.name.value;

/**
 * What an answer shows of a type: what its fragment lists; of a page its records and where it stands; of another
 * type without a fragment everything.
 */
function selectionText(returned: GraphQLOutputType, withRelations: boolean): string {
  const type = getNamedType(returned);
  if (!isObjectType(type)) return '';
  const fragment =
    (withRelations && fragmentOn(type, '_with_relations')) || fragmentOn(type, '_fields');
  if (fragment) return `{ ...${fragment} }`;
  const all = Object.values(type.getFields());
  const ofPage = all.filter(({ name }) => name === 'data' || name === 'pagination');
  const shown = ofPage.length === 2 ? ofPage : all;
  return `{ ${shown.map((field) => field.name + selectionText(field.type, withRelations)).join(' ')} }`;
}

function documentOf({ operation, showsRelations }: Route): DocumentNode {
  const { parent, field } = rootField(operation);
  const args = field.args.filter(isPassed);
  const variables = args.map(({ name, type }) => `$${name}: ${type}`).join(' ');
  const values = args.map(({ name }) => `${name}: $${name}`).join(' ');
  const shown = `${operation}(${values}) ${selectionText(field.type, showsRelations === true)}`;
  const text = `${parent.name.toLowerCase()} ${operation}(${variables}) { ${shown} }`;
  return withFragments(parse(text, { noLocation: true }));
}

function withFragments(operation: DocumentNode): DocumentNode {
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

/** Every stored operation by its name, with the fragments that it needs. A test has found them valid. */
export const operations: ReadonlyMap<string, DocumentNode> = new Map(
  routes.map((route) => [route.operation, documentOf(route)]),
);

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

/** The arguments of a route's root field that its path does not have: they stand in the query string. */
export function argumentsBeside({ operation, path }: Pick<Route, 'operation' | 'path'>) {
  const inPath = [...path.split('/'), ':account_id'];
  return rootField(operation).field.args.filter(
    ({ name }) => isPassed({ name }) && !inPath.includes(`:${name}`),
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
