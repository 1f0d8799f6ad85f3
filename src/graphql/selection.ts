/**
 * What a GraphQL field asks of a record, as a Selection: the resolver of a root field reads the
 * whole tree beneath it once, so that one statement can fetch it and no other resolver asks the
 * database anything.
 */
import { createHash } from 'node:crypto';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Relation, Selection, ShapeName } from '../db/shape.ts';
import { Fault, Faults } from '../errors.ts';
import { readInteger } from '../integer.ts';
import { shapes } from '../resources/shapes.ts';
import { capped, isClients, willFetch } from './budget.ts';

/** How many records a list inside a list holds when nothing is said, and at most. */
export const nestedList = { usual: 10, most: 100 } as const;

/** The parts of GraphQLResolveInfo that tell what is asked; graphql-js and compiled queries have them. */
export type Asked = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'variableValues' | 'returnType' | 'operation'
>;

/** Kinds of records by their GraphQL types. */
const typeShapes: Readonly<Record<string, ShapeName>> = Object.fromEntries(
  Object.values(shapes).map(({ type, table }) => [type, table]),
);

/**
 * The key under which a record holds a relation: the field's name, or, where the client calls it
 * otherwise, one unlike any field's.
 */
export function relationKey(field: string, responseName: string): string {
  if (field === responseName) return field;
  // PostgreSQL cuts names at 63 bytes, which would make two long aliases one.
  return `@${responseName.length <= 60 ? responseName : createHash('sha1').update(responseName).digest('hex')}`;
}

/** Whether a GraphQL type is that of a record. */
export const isRecord = (type: string): boolean => typeShapes[type] !== undefined;

/** Whether a field of a GraphQL type leads to other records. */
export function isRelation(type: string, field: string): boolean {
  const shape = typeShapes[type];
  return shape !== undefined && shapes[shape].associations[field] !== undefined;
}

// A document's nodes live as long as its cache entry. Selections that read variables are built
// for each call.
const known = new WeakMap<FieldNode, Map<string, Selection>>();

/**
 * @param info of the root field's resolver
 * @param path fields between the root field and the record (`data` of a page, `deal` of a payload)
 * @param inList whether the record is one of a list
 * @throws {Fault} VALIDATION_FAILED when a limit or offset is out of range; BAD_USER_INPUT when a
 *   field of the path is selected twice, under two names
 */
export function selectionOf(info: Asked, path: readonly string[] = [], inList = false): Selection {
  const selection = read(info, path, inList);
  if (isClients(info.operation)) willFetch(info, { path, selection });
  return selection;
}

function read(info: Asked, path: readonly string[], inList: boolean): Selection {
  const first = info.fieldNodes[0];
  const cacheKey = path.join('.');
  const cached = first && known.get(first)?.get(cacheKey);
  if (cached) return cached;
  const reader = new Reader(info);
  let type = namedObject(info.returnType);
  let sets = selectionSets(info.fieldNodes);
  for (const step of path) {
    const nodes = reader.step(type, sets, step);
    const field = type.getFields()[step];
    if (!field) throw new Error(`${type.name} has no ${step}`);
    type = namedObject(field.type);
    sets = selectionSets(nodes);
  }
  const selection = reader.selection(type, sets, inList);
  if (first && !reader.readVariables) {
    const byPath = known.get(first) ?? new Map<string, Selection>();
    known.set(first, byPath.set(cacheKey, selection));
  }
  return selection;
}

class Reader {
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #isClients: boolean;
  readVariables = false;

  constructor(info: Asked) {
    this.#fragments = info.fragments;
    this.#variables = info.variableValues;
    this.#isClients = isClients(info.operation);
  }

  selection(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    inList: boolean,
  ): Selection {
    const shapeName = typeShapes[type.name];
    if (!shapeName) throw new Error(`${type.name} is no record`);
    const shape = shapes[shapeName];
    const fields = new Set<string>();
    const relations: Relation[] = [];
    for (const [responseName, nodes] of this.collect(type, sets)) {
      const field = nodes[0]?.name.value ?? '';
      if (shape.associations[field]) {
        relations.push(this.#relation(type, responseName, nodes, inList));
      } else if (!field.startsWith('__')) {
        fields.add(field);
      }
    }
    return { fields: [...fields].sort(), relations };
  }

  /** What is selected of a field that is fetched once, whatever name the client gives it. */
  step(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    name: string,
  ): readonly FieldNode[] {
    const found = [...this.collect(type, sets).values()].filter(
      ([first]) => first?.name.value === name,
    );
    if (found.length > 1) {
      throw new Fault('BAD_USER_INPUT', [
        `${type.name}.${name} can be selected once, under one name`,
      ]);
    }
    return found.flat();
  }

  #relation(
    type: GraphQLObjectType,
    responseName: string,
    nodes: readonly FieldNode[],
    inList: boolean,
  ): Relation {
    const node = nodes[0];
    const field = node && type.getFields()[node.name.value];
    if (!node || !field) throw new Error(`${type.name} has no ${responseName}`);
    const many = isListType(isNonNullType(field.type) ? field.type.ofType : field.type);
    const selection = this.selection(namedObject(field.type), selectionSets(nodes), inList || many);
    const bounds = many ? this.#bounds(field, node, inList) : {};
    const unbound = many && bounds.limit === undefined && this.#isClients;
    const association = node.name.value;
    const key = relationKey(association, responseName);
    const relation = { key, association, selection, ...bounds };
    return unbound ? capped(relation, `${type.name}.${association}`) : relation;
  }

  #bounds(
    field: Parameters<typeof getArgumentValues>[0],
    node: FieldNode,
    inList: boolean,
  ): { limit?: number; offset?: number } {
    if (node.arguments?.some((argument) => argument.value.kind === Kind.VARIABLE)) {
      this.readVariables = true;
    }
    const given = getArgumentValues(field, node, this.#variables);
    const faults = new Faults();
    const limit = bound(
      given.limit,
      'limit',
      inList ? nestedList.most : Number.MAX_SAFE_INTEGER,
      faults,
    );
    const offset = bound(given.offset, 'offset', Number.MAX_SAFE_INTEGER, faults);
    faults.throwIfAny();
    const most = limit ?? (inList ? nestedList.usual : undefined);
    return {
      ...(most === undefined ? {} : { limit: most }),
      ...(offset === undefined ? {} : { offset }),
    };
  }

  /** Fields by response name, fragments opened, without what @skip or @include leave out. */
  collect(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    found = new Map<string, FieldNode[]>(),
    seen = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const node of sets.flatMap((set) => set.selections)) {
      if (!this.#isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) {
        const responseName = node.alias?.value ?? node.name.value;
        found.set(responseName, [...(found.get(responseName) ?? []), node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        this.collect(type, [node.selectionSet], found, seen);
      } else if (!seen.has(node.name.value)) {
        const fragment = this.#fragments[node.name.value];
        seen.add(node.name.value);
        if (fragment) this.collect(type, [fragment.selectionSet], found, seen);
      }
    }
    return found;
  }

  /** A variable is not null here: such a request is refused before it runs. */
  #isIncluded({ directives = [] }: SelectionNode): boolean {
    return directives.every(({ name, arguments: given }) => {
      const value = given?.[0]?.value;
      const isVariable = value?.kind === Kind.VARIABLE;
      if (isVariable) this.readVariables = true;
      const asked = isVariable
        ? this.#variables[value.name.value] === true
        : value?.kind === Kind.BOOLEAN && value.value;
      return name.value === 'skip' ? !asked : name.value !== 'include' || asked;
    });
  }
}

function bound(value: unknown, name: string, most: number, faults: Faults): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = readInteger(value);
  if (number >= 0 && number <= most) return number;
  faults.add(name, `must be an integer from 0 to ${most}`);
  return undefined;
}

const selectionSets = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap((node) => (node.selectionSet ? [node.selectionSet] : []));

function namedObject(type: GraphQLResolveInfo['returnType']): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Error(`${named.name} is no object`);
  return named;
}
