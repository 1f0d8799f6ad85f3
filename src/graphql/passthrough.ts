/**
 * Runs an operation by a plan that is made once: each root field is resolved, and what its resolver
 * returns is written as the document has it. PostgreSQL writes records as the answer has them where
 * it can, and nobody reads those on the way.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNonNull,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { JsonText } from '../json/json.ts';
import { repeatsOf } from './guard/repeats.ts';
import type { Run, Variables } from './operation.ts';
import { isPassthrough } from './resolvers.ts';
import { type RootField, runRootFields } from './root_fields.ts';
import { schema } from './schema.ts';
import {
  type Fragments,
  fieldsOf,
  fragmentsOf,
  isIncluded,
  selectedOf,
} from './selection/fields.ts';
import { isRecord, keyOf } from './selection/relations.ts';

/**
 * @returns what runs an operation with coerced variables; undefined for one that graphql-js has to
 *   run, because it asks what the schema holds, because fields beneath its root fields have resolvers,
 *   or because it uses names that every object of JavaScript has
 */
export function planPassthrough(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Run | undefined {
  const { canBePlanned, canBeText, conditions } = traitsOf(document);
  if (!canBePlanned) return undefined;
  const planner = new Planner(document, operation, canBeText);
  const isSerial = operation.operation === OperationTypeNode.MUTATION;
  let key: string | undefined;
  let fields: readonly RootField[] = [];
  return (context, variables) => {
    const needed = conditions.map((name) => String(variables[name])).join();
    if (needed !== key) {
      fields = planner.plan(variables);
      key = needed;
    }
    return runRootFields(fields, isSerial, context, variables);
  };
}

/** Traits of a document that decide how its operations run. */
interface Traits {
  readonly canBePlanned: boolean;
  /**
   * Whether the database may write its records: not one value under several names, whose copies could
   * be too many to build, nor fields of objects within records.
   */
  readonly canBeText: boolean;
  /** Names of the variables by which @skip and @include decide. */
  readonly conditions: readonly string[];
}

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];

function traitsOf(document: DocumentNode): Traits {
  let canBePlanned = true;
  let canBeText = repeatsOf(document) === 1;
  const conditions = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Name: ({ value }) => {
        canBePlanned &&= !(value in Object.prototype);
      },
      Directive: ({ arguments: args = [] }) => {
        for (const { value } of args) {
          if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
        }
      },
      Field: ({ name: { value: name } }) => {
        if (name === '__typename') return;
        const type = getNamedType(types.getType());
        const isPlain = isLeafType(type) || (isObjectType(type) && isRecord(type.name));
        const parent = types.getParentType();
        const isRoot = roots.some((root) => root === parent);
        const isResolved = !isRoot && types.getFieldDef()?.resolve !== undefined;
        canBePlanned &&= !isResolved && !name.startsWith('__');
        canBeText &&= isPlain || !isRecord(parent?.name ?? '');
      },
    }),
  );
  return { canBePlanned, canBeText, conditions: [...conditions] };
}

type NullableType = Exclude<GraphQLOutputType, GraphQLNonNull<GraphQLNullableType>>;

/** Makes values into what an answer has of them. */
type Writer = (value: unknown) => unknown;

/** A member of an object in an answer. */
interface Member {
  readonly name: string;
  /** Where the object that the resolver returned has it; undefined for its type's name. */
  readonly key: string | undefined;
  readonly write: Writer;
}

class Planner {
  readonly #operation: OperationDefinitionNode;
  readonly #parentType: GraphQLObjectType;
  readonly #canBeText: boolean;
  readonly #fragments: Fragments;
  /** The same as graphql-js has them. */
  readonly #fragmentsByName: Readonly<Record<string, FragmentDefinitionNode>>;
  #variables: Variables = {};

  /** @throws {Error} when the schema has no such operations */
  constructor(document: DocumentNode, operation: OperationDefinitionNode, canBeText: boolean) {
    const parentType = schema.getRootType(operation.operation);
    if (!parentType) throw new Error(`the schema has no ${operation.operation}`);
    this.#operation = operation;
    this.#parentType = parentType;
    this.#canBeText = canBeText;
    this.#fragments = fragmentsOf(document);
    this.#fragmentsByName = Object.fromEntries(this.#fragments);
  }

  /** @param variables of which those that conditions name are read */
  plan(variables: Variables): readonly RootField[] {
    this.#variables = variables;
    const fields = this.#fieldsOf([this.#operation.selectionSet]);
    return [...fields].map(([name, nodes]) => this.#rootField(name, nodes, fields.size === 1));
  }

  #fieldsOf(sets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    return fieldsOf(
      sets,
      (name) => this.#fragments.get(name),
      (node) => isIncluded(node, this.#variables),
    );
  }

  #rootField(name: string, fieldNodes: readonly FieldNode[], isAlone: boolean): RootField {
    const parentType = this.#parentType;
    const operation = this.#operation;
    const fragments = this.#fragmentsByName;
    const [node] = fieldNodes;
    const fieldName = node?.name.value ?? '';
    if (fieldName === '__typename') return { name, resolve: () => parentType.name };
    const field = parentType.getFields()[fieldName];
    if (!node || !field?.resolve) throw new Error(`${fieldName} has no resolver`);
    const { resolve, type: returnType } = field;
    const write = this.#writer(returnType, fieldNodes);
    const isText = this.#canBeText && isPassthrough(fieldName);
    const path = { prev: undefined, key: name, typename: parentType.name };
    return {
      name,
      resolve: async (context, variables) => {
        const args = getArgumentValues(field, node, variables);
        // Written out, not spread, like whatever every request copies (`src/docs/explanation/v8.md`).
        const info = {
          schema,
          operation,
          fragments,
          rootValue: undefined,
          parentType,
          fieldName,
          fieldNodes,
          returnType,
          isText,
          isAlone,
          path,
          variableValues: variables,
        };
        return write(await resolve(undefined, args, context, info));
      },
    };
  }

  #writer(type: GraphQLOutputType, nodes: readonly FieldNode[]): Writer {
    if (isNonNullType(type)) {
      const write = this.#writer(type.ofType, nodes);
      return (value) => {
        if (value === null || value === undefined) throw new Error(`a ${type.ofType} is missing`);
        return write(value);
      };
    }
    const write = this.#presentWriter(type, nodes);
    return (value) => {
      if (value === null || value === undefined) return null;
      return value instanceof JsonText ? value : write(value);
    };
  }

  /** What writes anything but null, and text that the database wrote. */
  #presentWriter(type: NullableType, nodes: readonly FieldNode[]): Writer {
    if (isLeafType(type)) return (value) => type.serialize(value);
    if (isListType(type)) {
      const write = this.#writer(type.ofType, nodes);
      return (value) => {
        if (!Array.isArray(value)) throw new Error(`a list of ${type.ofType} is none`);
        return value.map((each) => write(each));
      };
    }
    if (!isObjectType(type)) throw new Error(`${type.name} is no object`);
    const members = [...this.#fieldsOf(selectedOf(nodes))].map(([name, alike]) =>
      this.#member(type, name, alike),
    );
    return (value) => {
      const source: Readonly<Record<string, unknown>> = Object(value);
      const object: Record<string, unknown> = {};
      for (const { name, key, write } of members) {
        object[name] = key === undefined ? type.name : write(source[key]);
      }
      return object;
    };
  }

  #member(type: GraphQLObjectType, name: string, nodes: readonly FieldNode[]): Member {
    const field = nodes[0]?.name.value ?? '';
    const inner = type.getFields()[field];
    if (!inner) return { name, key: undefined, write: () => type.name };
    return { name, key: keyOf(type.name, field, name), write: this.#writer(inner.type, nodes) };
  }
}
