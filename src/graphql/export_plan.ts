/** Records as the stored operation of their search shows them, without an answer around them. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLOutputType,
  getOperationAST,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
} from 'graphql';
import type { Selection } from '../db/sql/shape.ts';
import { schema } from './schema.ts';
import { fieldsOf, fragmentsOf, selectedOf } from './selection/fields.ts';
import { selectionOf } from './selection/selection.ts';

type Write = (value: unknown) => unknown;

export interface ExportPlan {
  readonly selection: Selection;
  /** The fields of a record, in their order. */
  readonly fields: readonly string[];
  /** What an answer would show of a record that the database built. */
  readonly show: (stored: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** @param document a stored operation whose root field is a page */
export function exportPlanOf(document: DocumentNode): ExportPlan {
  const operation = getOperationAST(document);
  const root = operation?.selectionSet.selections[0];
  const field = root?.kind === Kind.FIELD && schema.getQueryType()?.getFields()[root.name.value];
  if (!field) throw new Error('the operation has no root field');
  const fragments = fragmentsOf(document);
  const inside = (nodes: readonly FieldNode[]) =>
    fieldsOf(selectedOf(nodes), (name) => fragments.get(name));
  const returnType = field.type;
  const writes = (type: GraphQLOutputType, nodes: readonly FieldNode[]): Write => {
    if (isNonNullType(type)) return writes(type.ofType, nodes);
    const write = ofNamed(type, nodes);
    return (value) => (value === null || value === undefined ? null : write(value));
  };
  const ofNamed = (type: GraphQLOutputType, nodes: readonly FieldNode[]): Write => {
    if (isListType(type)) {
      const one = writes(type.ofType, nodes);
      return (value) => (Array.isArray(value) ? value.map(one) : null);
    }
    if (isLeafType(type)) return (value) => type.serialize(value);
    if (!isObjectType(type)) throw new Error(`${type} cannot be exported`);
    const columns = [...inside(nodes)].map(([name, beneath]) => {
      const inner = type.getFields()[beneath[0]?.name.value ?? ''];
      if (!inner) throw new Error(`${type.name} has no ${name}`);
      return [name, writes(inner.type, beneath)] as const;
    });
    return (value) => {
      const stored: Readonly<Record<string, unknown>> = Object(value);
      const record: Record<string, unknown> = {};
      for (const [name, write] of columns) record[name] = write(stored[name]);
      return record;
    };
  };
  const data = inside([root]).get('data') ?? [];
  const page = isNonNullType(returnType) ? returnType.ofType : returnType;
  const list = isObjectType(page) ? page.getFields().data?.type : undefined;
  const records = list && isNonNullType(list) && isListType(list.ofType) ? list.ofType : undefined;
  if (!records) throw new Error('the operation has no page');
  const show = writes(records.ofType, data);
  return {
    selection: selectionOf(
      {
        fieldNodes: [root],
        fragments: Object.fromEntries(fragments),
        variableValues: {},
        returnType,
      },
      ['data'],
    ),
    fields: [...inside(data).keys()],
    show: (stored) => Object(show(stored)),
  };
}
