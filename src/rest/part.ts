/** `?fields=`: a part of what a route answers with, so that the rest of it is not even read. */
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { coded } from '../errors/codes.ts';
import { noField } from '../errors/did_you_mean.ts';
import { maxNamed, type UnknownInput } from '../errors/errors.ts';
import { prepareStored } from '../graphql/execute.ts';
import type { Run } from '../graphql/operation.ts';
import { type Fragments, fieldsOf, fragmentsOf, selectedOf } from '../graphql/selection/fields.ts';
import type { JsonObject } from '../json/json.ts';
import { operations, rootField } from './operations.ts';

/** Parts of one route's answers that are kept; there are more than anyone asks for. */
const maxParts = 100;

/** What a request asks for of an answer. */
export interface ChosenFields {
  /** Names of fields, in the order of the answer; undefined for all of it. */
  readonly fields: readonly string[] | undefined;
  readonly misplaced: readonly UnknownInput[];
}

const everything: ChosenFields = { fields: undefined, misplaced: [] };
const unreadable: ChosenFields = {
  fields: undefined,
  misplaced: [{ name: 'fields', message: 'is not a list of names, divided by commas' }],
};

/** The parts that an operation's answers have: the fields of its record, or of each record. */
export class Parts {
  readonly #document: DocumentNode;
  readonly #fragments: Fragments;
  readonly #operation: string;
  /** The field of a payload that holds the record; undefined where the operation returns it. */
  readonly #holder: string | undefined;
  readonly #nodes: ReadonlyMap<string, readonly FieldNode[]>;
  readonly #runs = new LRUCache<string, Run>({ max: maxParts });

  /** @throws {Error} when no such operation is stored */
  constructor(operation: string) {
    const document = operations.get(operation);
    if (!document) throw new Error(`no operation is stored for ${operation}`);
    this.#document = document;
    this.#operation = operation;
    this.#fragments = fragmentsOf(document);
    this.#holder = holderOf(operation);
    const roots = document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
    );
    const root = this.#fieldsOf(roots).get(operation) ?? [];
    const fields = this.#fieldsOf(selectedOf(root));
    this.#nodes = this.#holder
      ? this.#fieldsOf(selectedOf(fields.get(this.#holder) ?? []))
      : fields;
  }

  /** Of all fields, in the order of the answer. */
  get names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  /**
   * Reads the parameter `fields`: names divided by commas; none are all.
   * @param parameters of the query string
   */
  read({ fields }: JsonObject): ChosenFields {
    if (fields === undefined) return everything;
    const texts = [fields].flat();
    if (!texts.every((text) => typeof text === 'string')) return unreadable;
    const names = texts.flatMap((text) => text.split(','));
    const chosenNames = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
    const misplaced = [...chosenNames]
      .filter((name) => !this.#nodes.has(name))
      .slice(0, maxNamed)
      .map((name) => {
        const { code, message } = noField(name, this.#nodes.keys());
        return { name: 'fields', message: coded(code, `"${name}" ${message}`) };
      });
    const known = [...this.#nodes.keys()].filter((name) => chosenNames.has(name));
    return { fields: known.length > 0 ? known : undefined, misplaced };
  }

  /** @param fields as {@link read} returned them */
  run(fields: readonly string[]): Run {
    const key = fields.join();
    let run = this.#runs.get(key);
    if (!run) {
      run = prepareStored(this.documentOf(fields));
      this.#runs.set(key, run);
    }
    return run;
  }

  /**
   * The operation with a part of its answer.
   * @param fields as {@link read} returned them
   */
  documentOf(fields: readonly string[]): DocumentNode {
    return this.#withOnly(new Set(fields));
  }

  #fieldsOf(sets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    return fieldsOf(sets, (name) => this.#fragments.get(name));
  }

  #withOnly(fields: ReadonlySet<string>): DocumentNode {
    const selections = [...this.#nodes].flatMap(([name, nodes]) => (fields.has(name) ? nodes : []));
    const within = (node: SelectionNode, path: readonly string[]): SelectionNode => {
      if (node.kind !== Kind.FIELD || node.name.value !== path[0] || !node.selectionSet)
        return node;
      const [, ...deeper] = path;
      const inner =
        deeper.length === 0
          ? selections
          : node.selectionSet.selections.map((each) => within(each, deeper));
      return { ...node, selectionSet: { ...node.selectionSet, selections: inner } };
    };
    const path = this.#holder ? [this.#operation, this.#holder] : [this.#operation];
    const definitions = this.#document.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? {
            ...definition,
            selectionSet: {
              ...definition.selectionSet,
              selections: definition.selectionSet.selections.map((node) => within(node, path)),
            },
          }
        : definition,
    );
    return { ...this.#document, definitions };
  }
}

/** The field of a payload that holds the record or the records, which alone have an id, if it holds any. */
function holderOf(operation: string): string | undefined {
  const type = getNamedType(rootField(operation).field.type);
  if (!isObjectType(type) || type.getFields().id) return undefined;
  const holder = Object.values(type.getFields()).find((field) => {
    const fieldType = getNamedType(field.type);
    return isObjectType(fieldType) && fieldType.getFields().id;
  });
  return holder?.name;
}
