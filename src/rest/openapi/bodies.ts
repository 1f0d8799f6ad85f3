/** The bodies of requests: input types as schemas, as lenient as the service is. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { exampleOf } from './examples.ts';
import { type Components, type Described, describedAs, orNull, type Schema } from './schema.ts';

/** A JSON integer or its decimal string: form-based integrations send strings. */
export const lenientInteger = {
  type: ['integer', 'string', 'null'],
  pattern: '^(0|-?[1-9][0-9]*)$',
} satisfies Schema;

/** Scalars as requests may carry them; null clears a field. */
const scalars: Readonly<Record<string, Schema>> = {
  Boolean: { type: ['boolean', 'null'] },
  DateTime: { type: ['string', 'null'], format: 'date-time' },
  Float: { type: ['number', 'null'] },
  Flag: { type: ['boolean', 'string', 'null'], enum: [true, false, 'true', 'false', null] },
  ID: { type: ['string', 'null'] },
  Int: { type: ['integer', 'null'], format: 'int32' },
  Integer: lenientInteger,
  JSONObject: {
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'Free-form: 64 KiB of JSON at most.',
  },
  Labels: { type: ['array', 'string', 'null'], items: { type: 'string' } },
  String: { type: ['string', 'null'] },
  Text: { type: ['string', 'null'] },
};

/** Scalars whose schema says it all; for others the description is shown too. */
const selfEvident = new Set(['Boolean', 'DateTime', 'Flag', 'Int', 'Integer', 'String', 'Text']);

/** Scalars that stand for an input type, which the service reads by itself. */
const disguised: Readonly<Record<string, string>> = { ContactAttributes: 'ContactInput' };

/** Reads input types. */
export class Bodies {
  readonly #components: Components;
  readonly #inputNamed: (name: string) => GraphQLInputObjectType;

  constructor(components: Components, inputNamed: (name: string) => GraphQLInputObjectType) {
    this.#components = components;
    this.#inputNamed = inputNamed;
  }

  /** An input type. Unknown fields are ignored, so that records can be sent back. */
  object(type: GraphQLInputObjectType): Described {
    const properties: Record<string, Schema> = {};
    const example: Record<string, unknown> = {};
    for (const field of Object.values(type.getFields())) {
      const known = exampleOf(type.name, field.name);
      const described = this.#value(field.type);
      properties[field.name] = describedAs(described, field.description).schema;
      if (known !== undefined) example[field.name] = known;
    }
    const schema = { type: 'object', properties };
    return this.#components.keep([type.name], describedAs({ schema, example }, type.description));
  }

  #value(given: GraphQLInputType): Described {
    const type = getNullableType(given);
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
    const schema = scalars[type.name];
    if (!schema) throw new Error(`requests carry no ${type.name}`);
    const described = { schema, example: undefined };
    return selfEvident.has(type.name) ? described : describedAs(described, type.description);
  }
}
