/** How many records a request may resolve: the sizes of lists within lists multiplied. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { schema } from './schema.ts';
import { isRecord, isRelation, nestedList } from './selection.ts';

/** What is taken for the size of a list that nothing in the request bounds. */
const assumed = 10;

/** Arguments of a root field that give the size of lists beneath it. */
const sizeArguments: readonly string[] = ['per_page', 'per_stage'];

/**
 * @param document a valid one
 * @param variables as they were sent; what is no number is left to the use case to refuse
 * @returns the records that the operation resolves at most; a list without any bound is taken to
 *   have 10
 */
export function recordsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const told = known.get(operation);
  if (told !== undefined) return told;
  const type = schema.getRootType(operation.operation);
  if (!type) return 0;
  const cost = new Cost(document, operation, variables);
  const records = cost.of(type, operation.selectionSet);
  if (!cost.readVariables) known.set(operation, records);
  return records;
}

/** Of operations in which no variable has a say. */
const known = new WeakMap<OperationDefinitionNode, number>();

/** What surrounds a field: whether a list does, and the size that the root field gives. */
interface Surrounding {
  readonly inList: boolean;
  readonly size: number;
}

class Cost {
  readonly #fragments = new Map<string, SelectionSetNode>();
  readonly #variables = new Map<string, unknown>();
  readonly #known = new Map<string, number>();
  readVariables = false;

  constructor(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
      this.#fragments.set(definition.name.value, definition.selectionSet);
    }
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      this.#variables.set(name, given === undefined ? literal(defaultValue) : given);
    }
  }

  of(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    around: Surrounding = { inList: false, size: assumed },
  ): number {
    let records = 0;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) records += this.#field(type, node, around);
      else if (node.kind === Kind.INLINE_FRAGMENT)
        records += this.of(type, node.selectionSet, around);
      else records += this.#fragment(type, node.name.value, around);
    }
    return records;
  }

  #fragment(type: GraphQLObjectType, name: string, around: Surrounding): number {
    const key = `${name} ${around.inList} ${around.size}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const set = this.#fragments.get(name);
    const records = set ? this.of(type, set, around) : 0;
    this.#known.set(key, records);
    return records;
  }

  #field(parent: GraphQLObjectType, node: FieldNode, around: Surrounding): number {
    const field = parent.getFields()[node.name.value];
    const type = field && getNamedType(field.type);
    if (!field || !isObjectType(type) || !node.selectionSet) return 0;
    const many = isListType(isNonNullType(field.type) ? field.type.ofType : field.type);
    const size = many ? this.#size(parent, node, around) : 1;
    const sizing = field.args.find(({ name }) => sizeArguments.includes(name));
    const given = sizing && (this.#number(node, sizing.name) ?? sizing.defaultValue);
    const inner = {
      inList: around.inList || many,
      size: typeof given === 'number' ? given : around.size,
    };
    const below = this.of(type, node.selectionSet, inner);
    return size * (below + (isRecord(type.name) ? 1 : 0));
  }

  #size(parent: GraphQLObjectType, node: FieldNode, around: Surrounding): number {
    const field = node.name.value;
    // How many stages a pipeline has is no part of the request.
    if (parent.name === 'PipelineBoard') return assumed;
    if (!isRelation(parent.name, field)) return around.size;
    const limit = this.#number(node, 'limit');
    return limit ?? (around.inList ? nestedList.usual : assumed);
  }

  #number(node: FieldNode, name: string): number | undefined {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) this.readVariables = true;
    const given =
      value?.kind === Kind.VARIABLE ? this.#variables.get(value.name.value) : literal(value);
    const number = typeof given === 'string' ? Number(given) : given;
    return typeof number === 'number' && number >= 0 ? number : undefined;
  }
}

/** A number as a document writes it, as a number or a text. */
const literal = (node: ValueNode | undefined): string | undefined =>
  node?.kind === Kind.INT || node?.kind === Kind.STRING ? node.value : undefined;
