/** The stored operations: GraphQL documents of the service's own, one for each route. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getNamedType,
  isInputObjectType,
  parse,
  validate,
  visit,
} from 'graphql';
import { fragmentsOf } from '../graphql/fields.ts';
import { schema } from '../graphql/schema.ts';

const folder = new URL('operations/', import.meta.url);

const read = (file: string): DocumentNode => parse(readFileSync(new URL(file, folder), 'utf8'));

const fragments = fragmentsOf(read('fragments.graphql'));

/** Every stored operation by its name, with the fragments that it spreads. */
export const operations: ReadonlyMap<string, DocumentNode> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql') && file !== 'fragments.graphql')
    .map((file) => [file.replace(/\.graphql$/, ''), withFragments(file)]),
);

function withFragments(file: string): DocumentNode {
  const operation = read(file);
  const spread = new Set<FragmentDefinitionNode>();
  visit(operation, {
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value);
      if (fragment) spread.add(fragment);
    },
  });
  const document = { ...operation, definitions: [...operation.definitions, ...spread] };
  const [error] = validate(schema, document);
  if (error) throw new Error(`${file}: ${error.message}`);
  return document;
}

/** Names of the fields that a root field's `input` takes; others are no concern of it. */
export function inputFields(operation: string): readonly string[] {
  const field =
    schema.getMutationType()?.getFields()[operation] ??
    schema.getQueryType()?.getFields()[operation];
  const input = field?.args.find((argument) => argument.name === 'input');
  const type = input && getNamedType(input.type);
  return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}
