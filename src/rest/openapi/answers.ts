/** The answer of a stored operation: its selection as a schema with exactly those fields. */
import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { demandsOf } from '../../graphql/inputs.ts';
import {
  type Fragments,
  fieldsOf,
  fragmentsOf,
  selectedOf,
} from '../../graphql/selection/fields.ts';
import { codesByField, refusalCode } from './error_schemas.ts';
import { exampleOf } from './examples.ts';
import { scalars } from './scalars.ts';
import {
  type Components,
  describedAs,
  orNull,
  type Schema,
  type SchemaWithExample,
} from './schema.ts';

/** The few values of a field; of the kinds of events clients may write only some. */
const valuesOf = (type: string, field: string): readonly unknown[] | undefined =>
  type === 'Event' ? undefined : demandsOf(type).get(field)?.values;

/** What the types of fields do not say of their values. */
const schemaOf: Readonly<Record<string, Schema>> = {
  'BatchResult.code': refusalCode,
  'BatchResult.codes': codesByField,
};

/** A type and what is selected of it. */
export interface SelectedType {
  readonly type: GraphQLOutputType;
  readonly sets: readonly SelectionSetNode[];
}

/** Reads the selections of one stored operation. */
export class Answers {
  readonly #fragments: Fragments;
  readonly #components: Components;
  /** A name for a schema that only this operation answers with. */
  readonly #ownName: string;
  readonly #leftOut: readonly string[];

  /** @param leftOut names of fields that are not there where they would be null */
  constructor(
    document: DocumentNode,
    components: Components,
    ownName: string,
    leftOut: readonly string[] = [],
  ) {
    this.#fragments = fragmentsOf(document);
    this.#components = components;
    this.#ownName = ownName;
    this.#leftOut = leftOut;
  }

  /** The fields selected of an object, by the name that the answer gives them. */
  fields({
    type,
    sets,
  }: SelectedType): ReadonlyMap<string, SelectedType & { readonly field: string }> {
    const parent = getNamedType(type);
    if (!isObjectType(parent)) throw new Error(`${parent.name} has no fields`);
    return new Map(
      [...fieldsOf(sets, (name) => this.#fragments.get(name))].map(([name, nodes]) => {
        const field = nodes[0]?.name.value ?? name;
        const definition = parent.getFields()[field];
        if (!definition) throw new Error(`${parent.name} has no ${field}`);
        return [name, { field, type: definition.type, sets: selectedOf(nodes) }];
      }),
    );
  }

  /** @param place type and field that hold the value, for its example */
  describe(
    { type, sets }: SelectedType,
    place?: readonly [type: string, field: string],
  ): SchemaWithExample {
    if (isNonNullType(type)) return this.#present({ type: type.ofType, sets }, place);
    const described = orNull(this.#present({ type, sets }, place));
    const example = place && exampleOf(...place);
    return { ...described, example: example === undefined ? null : example };
  }

  /** An object with the fields of one of its own beside its others. */
  opened({ type, sets }: SelectedType, field: string): SchemaWithExample {
    const object = getNamedType(type);
    if (!isObjectType(object)) throw new Error(`${object.name} has no fields`);
    return this.#object(object, sets, field);
  }

  #present(
    { type, sets }: SelectedType,
    place?: readonly [type: string, field: string],
  ): SchemaWithExample {
    const known = place && exampleOf(...place);
    if (isListType(type)) {
      const element = this.describe({ type: type.ofType, sets });
      const example = known ?? (isObjectType(getNamedType(type)) ? [element.example] : []);
      return { schema: { type: 'array', items: element.schema }, example };
    }
    if (isObjectType(type)) return this.#object(type, sets);
    if (isEnumType(type)) {
      const names = type.getValues().map(({ name }) => name);
      return { schema: { type: 'string', enum: names }, example: known ?? names[0] };
    }
    const schema = isScalarType(type) ? scalars[type.name]?.answered : undefined;
    if (!schema) throw new Error(`answers hold no ${String(type)}`);
    const own = place && schemaOf[place.join('.')];
    if (own) return { schema: own, example: known ?? null };
    const values = place && valuesOf(...place);
    if (values) return { schema: { ...schema, enum: values }, example: known ?? values[0] };
    return { schema, example: known ?? scalars[String(type)]?.example };
  }

  /**
   * @param opened the name of a field whose own fields stand beside the others
   */
  #object(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    opened?: string,
  ): SchemaWithExample {
    const properties: Record<string, Schema> = {};
    const example: Record<string, unknown> = {};
    const add = (parent: GraphQLObjectType, selections: readonly SelectionSetNode[]) => {
      for (const [name, selected] of this.fields({ type: parent, sets: selections })) {
        const inner = getNamedType(selected.type);
        if (name === opened && isObjectType(inner)) {
          add(inner, selected.sets);
          continue;
        }
        const place = [parent.name, selected.field] as const;
        const isLeftOut = this.#leftOut.includes(name);
        const described = isLeftOut
          ? this.#present(selected, place)
          : this.describe(selected, place);
        const { description } = parent.getFields()[selected.field] ?? {};
        properties[name] = describedAs(described, description).schema;
        if (!isLeftOut) example[name] = described.example;
      }
    };
    add(type, sets);
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: Object.keys(properties).filter((name) => !this.#leftOut.includes(name)),
      properties,
    };
    const described = describedAs({ schema, example }, type.description);
    return this.#components.keep([this.#nameOf(type, sets), this.#ownName], described);
  }

  /** The fields that every answer shows of a record bear its type's name; with more it is a detail. */
  #nameOf({ name }: GraphQLObjectType, sets: readonly SelectionSetNode[]): string {
    return this.#isDetail(sets.flatMap(({ selections }) => selections)) ? `${name}Detail` : name;
  }

  /** Whether there are fields beside a fragment. */
  #isDetail(nodes: readonly SelectionNode[]): boolean {
    if (new Set(nodes.map(({ kind }) => kind)).size > 1) return true;
    return nodes.some((node) => {
      if (node.kind !== Kind.FRAGMENT_SPREAD) return false;
      const fragment = this.#fragments.get(node.name.value);
      return fragment !== undefined && this.#isDetail(fragment.selectionSet.selections);
    });
  }
}

/** What can be followed comes as events, too. */
export const events = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'With `Accept: text/event-stream`: an event for each change, without end. Its `id` is the cursor, its `data` the change as in a page. A comment comes every 15 seconds.',
    },
    example: 'id: Y3Vyc29y\ndata: {"cursor":"Y3Vyc29y","action":"create"}\n\n',
  },
};
