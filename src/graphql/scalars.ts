/**
 * The scalars of the schema. They accept any input: the use case checks it, and reports all faults
 * together and by field.
 */
import {
  type DocumentNode,
  GraphQLScalarType,
  Kind,
  type ScalarTypeDefinitionNode,
  type ValueNode,
} from 'graphql';
import { isoTimestamp } from '../db/sql/timestamp.ts';
import { JsonText, keepSource, parseJson, sourceOf } from '../json/json.ts';
import type { Variables } from './operation.ts';

/** A scalar whose literals in a document mean the same as that JSON in variables. */
const scalar = ({ name: { value: name }, description }: ScalarTypeDefinitionNode) =>
  new GraphQLScalarType({
    name,
    description: description?.value ?? null,
    serialize: serialisers[name] ?? ((value) => value),
    parseValue: (value) => value,
    parseLiteral: (node, variables) => literal(node, variables ?? {}),
  });

/** The value of a literal. Variables in it yield the very values that were sent, not copies. */
function literal(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return parseJson(node.value);
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null;
    case Kind.LIST:
      return node.values.map((value) => literal(value, variables));
    case Kind.OBJECT: {
      const object = Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literal(value, variables)]),
      );
      keepSource(object, () => written(node, variables));
      return object;
    }
  }
}

/** A literal as JSON text, with its numbers as written. */
function written(node: ValueNode, variables: Variables): string {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return node.value;
    case Kind.LIST:
      return `[${node.values.map((value) => written(value, variables)).join(',')}]`;
    case Kind.OBJECT:
      return `{${node.fields
        .map(({ name, value }) => `${JSON.stringify(name.value)}:${written(value, variables)}`)
        .join(',')}}`;
    default:
      return sourceOf(literal(node, variables));
  }
}

const empty = Object.freeze({});

/** How values become JSON; those of other scalars stay as they are. */
const serialisers: Readonly<Record<string, (value: unknown) => unknown>> = {
  DateTime: (value) => isoTimestamp(String(value)),
  JSONObject: (value) => {
    if (typeof value !== 'string') return value;
    return value === '{}' ? empty : new JsonText(value);
  },
};

/** The scalars that a schema declares. */
export const scalarsOf = ({
  definitions,
}: DocumentNode): Readonly<Record<string, GraphQLScalarType>> =>
  Object.fromEntries(
    definitions
      .filter((definition) => definition.kind === Kind.SCALAR_TYPE_DEFINITION)
      .map((definition) => [definition.name.value, scalar(definition)]),
  );
