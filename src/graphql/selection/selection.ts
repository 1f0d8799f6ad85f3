/**
 * What a GraphQL field selects of a record, as a Selection. The resolver of a root field reads the
 * whole tree beneath it, so that one statement can fetch it all and no other resolver needs the
 * database.
 */
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { requireScopes } from '../../auth/policy.ts';
import type { RequiredScope } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Association, OutputField, Relation, Selection, Shape } from '../../db/sql/shape.ts';
import { Fault, Faults } from '../../errors/errors.ts';
import { shapes } from '../../resources/shapes.ts';
import { capped, type RootFetch } from '../guard/records.ts';
import { fieldsOf, isIncluded, isList, selectedOf } from './fields.ts';
import { countedBy, nestedList, readBound, relationKey, typeShapes } from './relations.ts';
import { NestedSearches } from './searches.ts';

/** The parts of GraphQLResolveInfo that say what is selected. */
export type SelectionInfo = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'variableValues' | 'returnType'
> & {
  /** Where to note what is fetched when records are counted; unlimited lists are capped then. */
  readonly fetched?: RootFetch[];
  /**
   * Whether the records are handed through as the database builds them, so that it has to know the
   * answer's form.
   */
  readonly isText?: boolean;
  /** Whether the operation has no other root field. */
  readonly isAlone?: boolean;
  /** Whose scopes limit what searches within lists may look at; left out where all of them are there. */
  readonly viewer?: Viewer;
};

/** What some nodes of one field select together, beneath a path. */
interface CachedSelection {
  readonly path: readonly string[];
  readonly isText: boolean;
  readonly nodes: readonly FieldNode[];
  readonly selection: Selection;
  /** The scopes that its searches take. */
  readonly scopes: readonly RequiredScope[];
}

// Kept as long as the document's nodes are, which is while it is cached. Selections that depend on
// variables are built for each call; which nodes a field has may depend on them, too, and the latest are kept.
const cached = new WeakMap<FieldNode, CachedSelection[]>();

/**
 * @param info of the root field's resolver
 * @param path fields between the root field and the record (`data` of a page, `deal` of a payload)
 * @param lists whether lists beneath a list of records are short by default, or complete
 * @throws {Fault} VALIDATION_FAILED when a limit or offset is out of range; INVALID_SEARCH for a search
 *   within a list that cannot be read, INSUFFICIENT_SCOPE for one that looks at what the viewer's token may
 *   not read; BAD_USER_INPUT when a field of the path is selected twice, under two names
 */
export function selectionOf(
  info: SelectionInfo,
  path: readonly string[] = [],
  lists: 'short' | 'complete' = 'short',
): Selection {
  const nodes = info.fieldNodes;
  const [first] = nodes;
  if (!first) throw new Error('a field was resolved that was not selected');
  const isText = info.isText ?? false;
  const ofField = cached.get(first) ?? [];
  const before = ofField.find((one) => one.isText === isText && areSame(one.path, path));
  let known = before && areSame(before.nodes, nodes) ? before : undefined;
  if (!known) {
    const reader = new Reader(info);
    const selection = reader.read(info, path, lists);
    known = { path, isText, nodes, selection, scopes: reader.scopes };
    if (!reader.readVariables) {
      const others = ofField.filter((one) => one !== before);
      cached.set(first, [...others, known]);
    }
  }
  const { selection, scopes } = known;
  if (info.viewer) requireScopes(info.viewer, scopes);
  info.fetched?.push({ path, selection });
  return selection;
}

const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at]);

/** Names of the fields selected of what a root field returns, or beneath a path. */
export const namesIn = (info: SelectionInfo, path: readonly string[] = []): ReadonlySet<string> =>
  new Reader(info).names(info, path);

class Reader {
  readonly #fragments: SelectionInfo['fragments'];
  readonly #variables: SelectionInfo['variableValues'];
  readonly #isCounted: boolean;
  readonly #isText: boolean;
  readonly #isAlone: boolean;
  readVariables = false;
  readonly #searches = new NestedSearches();

  constructor({
    fragments,
    variableValues,
    fetched,
    isText = false,
    isAlone = false,
  }: SelectionInfo) {
    this.#fragments = fragments;
    this.#variables = variableValues;
    this.#isCounted = fetched !== undefined;
    this.#isText = isText;
    this.#isAlone = isAlone;
  }

  get scopes(): readonly RequiredScope[] {
    return this.#searches.scopes;
  }

  read(info: SelectionInfo, path: readonly string[], lists: 'short' | 'complete'): Selection {
    let type = namedObject(info.returnType);
    let sets = selectedOf(info.fieldNodes);
    let inList = false;
    for (const step of path) {
      const nodes = this.#step(type, sets, step);
      const field = type.getFields()[step];
      if (!field) throw new Error(`${type.name} has no ${step}`);
      inList ||= isList(field.type) && lists === 'short';
      type = namedObject(field.type);
      sets = selectedOf(nodes);
    }
    return this.#selection(type, sets, inList);
  }

  names({ fieldNodes }: SelectionInfo, path: readonly string[]): ReadonlySet<string> {
    const beneath = (nodes: readonly FieldNode[]) =>
      [...this.#fields(selectedOf(nodes)).values()].flat();
    const sets = path.reduce(
      (nodes, step) => beneath(nodes.filter(({ name }) => name.value === step)),
      beneath(fieldNodes),
    );
    return new Set(sets.map(({ name }) => name.value));
  }

  #selection(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    inList: boolean,
  ): Selection {
    const shapeName = typeShapes[type.name];
    if (!shapeName) throw new Error(`${type.name} is no record`);
    const shape = shapes[shapeName];
    const fields = new Set<string>();
    const relations: Relation[] = [];
    const members: OutputField[] = [];
    for (const [responseName, nodes] of this.#fields(sets)) {
      const field = nodes[0]?.name.value ?? '';
      const counted = countedBy(type.name, field);
      if (counted !== undefined) {
        const relation = this.#count(type, shape, counted, responseName, nodes);
        relations.push(relation);
        members.push({ as: responseName, field, relation });
      } else if (shape.associations[field]) {
        const relation = this.#relation(type, shape, responseName, nodes, inList);
        relations.push(relation);
        members.push({ as: responseName, field, relation });
      } else {
        if (!field.startsWith('__')) fields.add(field);
        members.push({ as: responseName, field });
      }
    }
    return {
      fields: [...fields].sort(),
      relations,
      ...(this.#isText && { shown: members, isAlone: this.#isAlone }),
    };
  }

  /** What is selected of a field on the path, which can be selected once, under any name. */
  #step(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    name: string,
  ): readonly FieldNode[] {
    const nodes = [...this.#fields(sets).values()].filter(([first]) => first?.name.value === name);
    if (nodes.length > 1) {
      throw new Fault('BAD_USER_INPUT', [
        `${type.name}.${name} can be selected once, under one name`,
      ]);
    }
    return nodes.flat();
  }

  /** The number of the records in a list. */
  #count(
    type: GraphQLObjectType,
    { associations }: Shape,
    association: string,
    responseName: string,
    [node]: readonly FieldNode[],
  ): Relation {
    const field = node && type.getFields()[node.name.value];
    const way = associations[association];
    if (!field || !way) throw new Error(`${type.name} has no ${responseName}`);
    this.readVariables ||= readsVariable(node.arguments);
    const { query } = getArgumentValues(field, node, this.#variables);
    return {
      key: relationKey(field.name, responseName),
      association,
      selection: { fields: [], relations: [] },
      isCount: true,
      ...this.#searches.count(query, way),
    };
  }

  #relation(
    type: GraphQLObjectType,
    { associations }: Shape,
    responseName: string,
    nodes: readonly FieldNode[],
    inList: boolean,
  ): Relation {
    const node = nodes[0];
    const field = node && type.getFields()[node.name.value];
    if (!node || !field) throw new Error(`${type.name} has no ${responseName}`);
    const many = isList(field.type);
    const selection = this.#selection(namedObject(field.type), selectedOf(nodes), inList || many);
    const association = node.name.value;
    const bounds = many ? this.#bounds(field, node, inList, associations[association]) : {};
    const unbound = many && bounds.limit === undefined && this.#isCounted;
    const key = relationKey(association, responseName);
    const relation = { key, association, selection, ...bounds };
    return unbound ? capped(relation, `${type.name}.${association}`) : relation;
  }

  #bounds(
    field: Parameters<typeof getArgumentValues>[0],
    node: FieldNode,
    inList: boolean,
    association: Association | undefined,
  ): Pick<Relation, 'limit' | 'offset' | 'filter'> {
    this.readVariables ||= readsVariable(node.arguments);
    const args = getArgumentValues(field, node, this.#variables);
    const faults = new Faults();
    const limit = readBound(
      args.limit,
      'limit',
      inList ? nestedList.max : Number.MAX_SAFE_INTEGER,
      faults,
    );
    const offset = readBound(args.offset, 'offset', Number.MAX_SAFE_INTEGER, faults);
    faults.throwIfAny();
    const max = limit ?? (inList ? nestedList.default : undefined);
    return {
      ...(max === undefined ? {} : { limit: max }),
      ...(offset === undefined ? {} : { offset }),
      ...(association && this.#searches.filter(args.query, association)),
    };
  }

  /** Fields by response name, without those that @skip or @include leave out. */
  #fields(sets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    return fieldsOf(
      sets,
      (name) => this.#fragments[name],
      (node) => this.#isIncluded(node),
    );
  }

  #isIncluded(node: SelectionNode): boolean {
    this.readVariables ||=
      node.directives?.some(({ arguments: args }) => readsVariable(args)) ?? false;
    return isIncluded(node, this.#variables);
  }
}

const readsVariable = (args: FieldNode['arguments']): boolean =>
  args?.some(({ value }) => value.kind === Kind.VARIABLE) ?? false;

function namedObject(type: GraphQLResolveInfo['returnType']): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Error(`${named.name} is no object`);
  return named;
}
