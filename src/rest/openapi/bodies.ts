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
import { scalars } from './scalars.ts';
import { type Components, type Described, describedAs, orNull, type Schema } from './schema.ts';

/** Scalars that hold the fields of an input, which the service reads by itself. */
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
    const scalar = scalars[type.name];
    if (!scalar) throw new Error(`requests carry no ${type.name}`);
    const described = { schema: scalar.sent, example: undefined };
    return scalar.selfEvident ? described : describedAs(described, type.description);
  }
}
