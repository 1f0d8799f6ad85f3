/** The bodies of requests: input types as schemas, as lenient as the service is. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type Demand, demandsOf, maxRecords } from '../../graphql/inputs.ts';
import { exampleOf, recordOf } from './examples.ts';
import { lenientFlag, lenientInteger, scalars } from './scalars.ts';
import {
  type Components,
  describedAs,
  notNull,
  orNull,
  type Schema,
  type SchemaWithExample,
} from './schema.ts';

/** Scalars that hold the fields of an input, which the service reads by itself. */
const disguised: Readonly<Record<string, string>> = {
  ContactAttributes: 'ContactAttributesInput',
};

/** What names a record that there is. */
const identified = {
  type: 'object',
  required: ['id'],
  properties: { id: notNull(lenientInteger) },
} satisfies Schema;

/** What a record is sent for. */
export type Purpose = 'create' | 'update' | 'upsert';

/** Whether the example of a change leaves a field out: one that others have, or that is fixed. */
const mayNotRecur = (field: string): boolean => /(^(email|phone|password.*)|_id)$/.test(field);

/** Reads input types. */
export class Bodies {
  readonly #components: Components;
  readonly #inputNamed: (name: string) => GraphQLInputObjectType;

  constructor(components: Components, inputNamed: (name: string) => GraphQLInputObjectType) {
    this.#components = components;
    this.#inputNamed = inputNamed;
  }

  /**
   * An input type. Fields that it does not know are ignored, so that records can be sent back.
   * @param purpose a new record must have all that is required
   */
  object(type: GraphQLInputObjectType, purpose: Purpose = 'upsert'): SchemaWithExample {
    const properties: Record<string, Schema> = {};
    const example: Record<string, unknown> = {};
    const demands = demandsOf(recordOf(type.name).replace(/Attributes$/, ''));
    const required: string[] = [];
    for (const field of Object.values(type.getFields())) {
      const known = exampleOf(type.name, field.name);
      const demand = demands.get(field.name);
      const described = demanded(this.#value(field.type), demand);
      properties[field.name] = describedAs(described, field.description).schema;
      if (known !== undefined && !(purpose === 'update' && mayNotRecur(field.name))) {
        example[field.name] = known;
      }
      if (purpose === 'create' && demand?.isRequired) required.push(field.name);
    }
    const isNew = required.length > 0;
    const schema = { type: 'object', ...(isNew && { required }), properties };
    const name = isNew ? `New${recordOf(type.name)}` : type.name;
    return this.#components.keep([name], describedAs({ schema, example }, type.description));
  }

  /**
   * A batch of records.
   * @param name of its schema
   * @param inputs what a record holds, by the operation
   */
  batch(
    name: string,
    inputs: readonly (readonly [operation: string, type: GraphQLInputObjectType])[],
  ): SchemaWithExample {
    const known = new Set(['update', 'delete']);
    const records = inputs.map(([operation, type]) => {
      const purpose =
        operation === 'create' ? 'create' : known.has(operation) ? 'update' : 'upsert';
      const { schema, example } = this.object(type, purpose);
      const one = known.has(operation) ? { allOf: [schema, identified] } : schema;
      return { operation, schema: one, example };
    });
    // One that may be there already can be sent again and again.
    const upsert = records.find(({ operation }) => operation === 'upsert');
    const changed = records.find(({ operation }) => operation === 'update');
    const example = {
      operation: (upsert ?? changed)?.operation,
      records: [upsert?.example ?? { id: 1, ...Object(changed?.example) }],
      atomic: false,
    };
    const different = new Map(records.map(({ schema }) => [JSON.stringify(schema), schema]));
    const schema = {
      type: 'object',
      required: ['operation', 'records'],
      properties: {
        operation: { type: 'string', enum: records.map(({ operation }) => operation) },
        records: {
          type: 'array',
          maxItems: maxRecords,
          items: { anyOf: [...different.values()] },
          description:
            'Each as the body of the single request, with the `id` of one that there is.',
        },
        atomic: { ...lenientFlag, description: 'Whether all are written or none.' },
        dry_run: {
          ...lenientFlag,
          description: 'The same as `Prefer: dry-run`.',
        },
      },
    };
    return this.#components.keep([name], { schema, example });
  }

  #value(inputType: GraphQLInputType): SchemaWithExample {
    const type = getNullableType(inputType);
    if (isListType(type)) {
      return orNull({
        schema: { type: 'array', items: this.#value(type.ofType).schema },
        example: [],
      });
    }
    if (isInputObjectType(type)) return orNull(this.object(type));
    if (isEnumType(type)) {
      const names = type.getValues().map(({ name }) => name);
      return orNull({ schema: { type: 'string', enum: names }, example: names[0] });
    }
    const input = disguised[type.name];
    if (input) return orNull(this.object(this.#inputNamed(input)));
    const scalar = scalars[type.name];
    if (!scalar) throw new Error(`requests carry no ${type.name}`);
    const described = { schema: scalar.sent, example: undefined };
    return scalar.selfEvident ? described : describedAs(described, type.description);
  }
}

/** A value as its field demands it: one of a few, or not null. */
function demanded(
  { schema, example }: SchemaWithExample,
  demand: Demand | undefined,
): SchemaWithExample {
  if (!demand) return { schema, example };
  const { isRequired, values, limits } = demand;
  const limited = withLimits(schema, limits);
  const of = values ? { ...limited, enum: isRequired ? values : [...values, null] } : limited;
  return { schema: isRequired ? notNull(of) : of, example };
}

function withLimits(schema: Schema, limits: Demand['limits']): Schema {
  if (!limits) return schema;
  const { maxItemLength, ...ofAll } = limits;
  if (maxItemLength === undefined) return { ...schema, ...ofAll };
  return { ...schema, ...ofAll, items: { ...Object(schema.items), maxLength: maxItemLength } };
}
