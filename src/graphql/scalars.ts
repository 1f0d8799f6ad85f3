/**
 * The scalars of the schema. On input they let everything through: what a client sent is judged
 * by the use case, which reports all faults together and by field.
 */
import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isoTimestamp } from '../db/timestamp.ts';
import { JsonText, keepSource, parseJson, sourceOf } from '../json.ts';

/** A scalar whose literals in a document become what the same JSON in variables would. */
const scalar = (name: string, serialize: (value: unknown) => unknown): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    serialize,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => literal(node, variables ?? {}),
  });

type Variables = Readonly<Record<string, unknown>>;

/** What a literal says; the values of variables in it are those that were sent, and no copies. */
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

/** The JSON text of a literal: numbers as they are written in it. */
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

const same = (value: unknown) => value;

const empty = Object.freeze({});

export const scalars = {
  Integer: scalar('Integer', same),
  DateTime: scalar('DateTime', (value) => isoTimestamp(String(value))),
  JSONObject: scalar('JSONObject', (value) => {
    if (typeof value !== 'string') return value;
    return value === '{}' ? empty : new JsonText(value);
  }),
  Text: scalar('Text', same),
  Flag: scalar('Flag', same),
  Labels: scalar('Labels', same),
  SearchQuery: scalar('SearchQuery', same),
  ContactAttributes: scalar('ContactAttributes', same),
};
