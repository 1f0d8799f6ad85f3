/**
 * How much a document asks of what describes the schema. Lists within lists multiply there as
 * they do among records, but their sizes are known: how large an answer is, is told without it.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  introspectionFromSchema,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Described = Readonly<Record<string, unknown>>;

const isDescribed = (value: unknown): value is Described =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Description {
  readonly whole: Described;
  /** In full, by name: where one type refers to another, there is its name alone. */
  readonly types: ReadonlyMap<unknown, Described>;
}

const descriptions = new WeakMap<GraphQLSchema, Description>();

function describe(schema: GraphQLSchema): Description {
  const known = descriptions.get(schema);
  if (known) return known;
  const whole = { ...introspectionFromSchema(schema).__schema };
  const types = new Map(whole.types.map((type) => [type.name, { ...type }]));
  const description = { whole, types };
  descriptions.set(schema, description);
  return description;
}

/** Counts the values of answers; a selection is counted once for each thing it is made of. */
export class Introspection {
  readonly #description: Description;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #counted = new Map<SelectionSetNode, Map<Described, number>>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#description = describe(schema);
    this.#fragments = fragments;
  }

  /** @returns the values that a field answers that stands at the top, at most */
  values(field: FieldNode): number {
    const { whole, types } = this.#description;
    if (field.name.value === '__schema') return this.#value(field, whole);
    if (field.name.value !== '__type') return 1;
    const name = field.arguments?.find((argument) => argument.name.value === 'name')?.value;
    if (name?.kind === Kind.STRING) return this.#value(field, types.get(name.value));
    // The variables may name any type, the largest too.
    return Math.max(...[...types.values()].map((type) => this.#value(field, type)));
  }

  #value(field: FieldNode, value: unknown): number {
    if (Array.isArray(value)) return sum(value, (item) => this.#value(field, item));
    if (!field.selectionSet || !isDescribed(value)) return 1;
    const type = typeof value.kind === 'string' ? this.#description.types.get(value.name) : value;
    return 1 + this.#selected(field.selectionSet, type ?? value);
  }

  #selected(set: SelectionSetNode, of: Described): number {
    const counted = this.#counted.get(set) ?? new Map<Described, number>();
    this.#counted.set(set, counted);
    const known = counted.get(of);
    if (known !== undefined) return known;
    // A fragment within itself is refused by another rule; here it only must not go on for ever.
    counted.set(of, 0);
    const count = sum(set.selections, (node) => this.#node(node, of));
    counted.set(of, count);
    return count;
  }

  #node(node: SelectionNode, of: Described): number {
    if (node.kind === Kind.FIELD) return this.#value(node, of[node.name.value]);
    if (node.kind === Kind.INLINE_FRAGMENT) return this.#selected(node.selectionSet, of);
    const fragment = this.#fragments.get(node.name.value);
    return fragment ? this.#selected(fragment.selectionSet, of) : 0;
  }
}

/** A number still, however deep what another rule refuses is nested. */
const sum = <T>(items: readonly T[], count: (item: T) => number): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    items.reduce((all, item) => all + count(item), 0),
  );
