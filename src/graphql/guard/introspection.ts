/**
 * How much introspection a document asks for. Nested lists multiply as they do among records, but
 * here their sizes are known, so the size of the answer can be computed without producing it.
 */
import { type FieldNode, type GraphQLSchema, introspectionFromSchema, Kind } from 'graphql';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { schema } from '../schema.ts';
import type { Fragments } from '../selection/fields.ts';
import { summing } from './sums.ts';

interface Description {
  readonly whole: JsonObject;
  /** By name and in full: a type that refers to another one has its name only. */
  readonly types: ReadonlyMap<unknown, JsonObject>;
}

/** All that a schema says of itself. */
export const introspectionOf = memoize((of: GraphQLSchema) => introspectionFromSchema(of));

const describe = memoize((of: GraphQLSchema): Description => {
  const whole = { ...introspectionOf(of).__schema };
  return { whole, types: new Map(whole.types.map((type) => [type.name, { ...type }])) };
});

/** Counts the values in the answer of a top-level field, at most. */
export function counting(fragments: Fragments): (field: FieldNode) => number {
  const { whole, types } = describe(schema);
  const selected = summing<JsonObject, number>(fragments, 0, plus, (field, of) =>
    valuesOf(field, of[field.name.value]),
  );
  const valuesOf = (field: FieldNode, value: unknown): number => {
    if (Array.isArray(value)) return value.map((one) => valuesOf(field, one)).reduce(plus, 0);
    if (!field.selectionSet || !isJsonObject(value)) return 1;
    const type = typeof value.kind === 'string' ? types.get(value.name) : value;
    return 1 + selected(field.selectionSet, type ?? value);
  };
  return (field) => {
    if (field.name.value === '__schema') return valuesOf(field, whole);
    if (field.name.value !== '__type') return 1;
    const name = field.arguments?.find((argument) => argument.name.value === 'name')?.value;
    if (name?.kind === Kind.STRING) return valuesOf(field, types.get(name.value));
    // A variable may name any type, so the largest counts.
    return Math.max(...[...types.values()].map((type) => valuesOf(field, type)));
  };
}

/** Capped, because documents that another rule refuses may nest without limit. */
const plus = (one: number, other: number): number => Math.min(Number.MAX_SAFE_INTEGER, one + other);
