/** Finds the records whose values an answer shows, for when one of them is erased. */
import {
  type DocumentNode,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { tables } from '../generated/shapes.ts';
import { JsonText } from '../json/json.ts';
import { erasable } from '../resources/erasures/kinds.ts';
import { anyRecord } from '../resources/idempotency/answers.ts';
import { schema } from './schema.ts';
import { fieldsOf, fragmentsOf, selectedOf } from './selection/fields.ts';

/** The kinds of records that can be erased, by their types. */
const kinds: ReadonlyMap<string, string> = new Map(
  erasable.map((table) => [tables[table].type, tables[table].one]),
);

/** Adds to `ids` the records in one object of an answer. */
type Collector = (value: object, ids: Set<string>) => void;

/**
 * @param document of which an operation was run
 * @returns a function that reads the records from the operation's data, such as `contact:7`
 */
export function recordIdsIn(
  document: DocumentNode,
  operationName?: string,
): (data: unknown) => readonly string[] {
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  const fragments = fragmentsOf(document);
  const tell =
    operation && type && collectorOf(type, [operation.selectionSet], (name) => fragments.get(name));
  return (data) => {
    const ids = new Set<string>();
    if (tell) collectAll(tell, data, ids);
    return [...ids];
  };
}

/** @returns undefined where neither the type nor anything beneath it can be erased */
function collectorOf(
  returned: GraphQLOutputType,
  sets: readonly SelectionSetNode[],
  fragment: Parameters<typeof fieldsOf>[1],
): Collector | undefined {
  const type = getNamedType(returned);
  if (!isObjectType(type)) return undefined;
  const selected = fieldsOf(sets, fragment);
  const nameOf = (field: string) =>
    [...selected].find(([, [node]]) => node?.name.value === field)?.[0] ?? '';
  const collectors = [...selected].flatMap(([name, nodes]): Collector[] => {
    const field = type.getFields()[nodes[0]?.name.value ?? ''];
    const beneath = field && collectorOf(field.type, selectedOf(nodes), fragment);
    return beneath ? [(value, ids) => collectAll(beneath, Reflect.get(value, name), ids)] : [];
  });
  const kind = kinds.get(type.name);
  if (kind !== undefined) collectors.push(byIds(() => kind, nameOf('id')));
  if (type.getFields().record_type && type.getFields().record_id) {
    const typeName = nameOf('record_type');
    collectors.push(byIds((value) => Reflect.get(value, typeName), nameOf('record_id')));
  }
  if (collectors.length === 0) return undefined;
  return (value, ids) => {
    for (const collect of collectors) collect(value, ids);
  };
}

/** Adds the record that an object is, or that it refers to, as an audit entry does. */
const byIds =
  (kindOf: (value: object) => unknown, idName: string): Collector =>
  (value, ids) => {
    const kind = kindOf(value);
    const id: unknown = Reflect.get(value, idName);
    ids.add(kind === undefined || id === undefined ? anyRecord : `${kind}:${id}`);
  };

/** Goes through an object, or those in a list, either of which may be JSON text already. */
function collectAll(tell: Collector, value: unknown, ids: Set<string>): void {
  if (value instanceof JsonText) collectAll(tell, JSON.parse(value.text), ids);
  else if (Array.isArray(value)) for (const each of value) collectAll(tell, each, ids);
  else if (typeof value === 'object' && value !== null) tell(value, ids);
}
