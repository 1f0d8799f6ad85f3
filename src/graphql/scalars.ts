/**
 * The scalars of the schema. On input they let everything through: what a client sent is judged
 * by the use case, which reports all faults together and by field.
 */
import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isoTimestamp } from '../db/timestamp.ts';
import { JsonText, parseJson } from '../json.ts';

/** A scalar whose literals in a document become what the same JSON in variables would. */
const scalar = (name: string, serialize: (value: unknown) => unknown): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    serialize,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => parseJson(literal(node, variables ?? {})),
  });

/** A literal as JSON text, so that it is read like everything else. */
function literal(node: ValueNode, variables: Readonly<Record<string, unknown>>): string {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.ENUM:
      return JSON.stringify(node.value);
    case Kind.INT:
    case Kind.FLOAT:
      return node.value;
    case Kind.BOOLEAN:
      return String(node.value);
    case Kind.NULL:
      return 'null';
    case Kind.VARIABLE:
      return JSON.stringify(variables[node.name.value] ?? null);
    case Kind.LIST:
      return `[${node.values.map((value) => literal(value, variables)).join(',')}]`;
    case Kind.OBJECT:
      return `{${node.fields
        .map((field) => `${JSON.stringify(field.name.value)}:${literal(field.value, variables)}`)
        .join(',')}}`;
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
