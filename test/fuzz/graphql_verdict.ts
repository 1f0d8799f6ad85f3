/** What is wrong with an answer of GraphQL: its data held against the schema and the document. */

import { isDeepStrictEqual } from 'node:util';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  validate,
  valueFromASTUntyped,
} from 'graphql';
import { schema } from '../../src/graphql/schema.ts';
import type { Draft } from './draft.ts';
import { isJson, type Json } from './pool.ts';
import { isLarge, jsonOf, judgeCommon, placeOf, Wrong } from './rest_verdict.ts';
import type { Answer } from './wire.ts';

/** Codes that an error may bear when nothing of the service is at fault. */
const codes = new Set([
  ...['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED', 'INVALID_SEARCH'],
  ...['BAD_USER_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'TOO_MANY_REQUESTS'],
  ...['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE'],
  ...['BAD_REQUEST', 'PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ...['PRECONDITION_FAILED', 'GONE', 'CONFLICT'],
]);

/**
 * @returns the data of an answer without errors, by the names of its root fields
 * @throws {Error} saying what is not as the schema has it
 */
export function judgeGraphql(draft: Draft, answer: Answer, marker: string): readonly Root[] {
  judgeCommon(draft, answer, marker);
  const { status } = answer;
  if (draft.method === 'HEAD' || placeOf(draft) !== '/graphql') return [];
  if (draft.alsoDue.includes(status) && status !== 200) return [];
  const body = jsonOf(answer);
  if (!isJson(body)) throw new Wrong(`${status} has no body`);
  if (draft.method !== 'POST') {
    // A GET has its query in the address, and none of these has. A body may be refused before the method is looked at.
    const isRight =
      status === 405 ||
      (draft.method === 'GET' && status === 400) ||
      (isLarge(draft) && status === 413);
    if (!isRight) throw new Wrong(`${draft.method} is answered ${status}`);
    return [];
  }
  if (answer.headers.get('cache-control') !== 'no-store') throw new Wrong('may be cached');
  if (draft.who === 'nobody' && status !== 401) throw new Wrong(`${status} without a token`);
  const { data, errors } = body;
  if (errors !== undefined) judgeErrors(errors);
  if (data === undefined || data === null) {
    if (errors === undefined) throw new Wrong('has neither data nor errors');
    return [];
  }
  if (status !== 200) throw new Wrong(`data comes with ${status}`);
  const roots = judgeData(draft, data);
  return errors === undefined ? roots : [];
}

function judgeErrors(errors: unknown): void {
  if (!Array.isArray(errors) || errors.length === 0) throw new Wrong('errors is no list of some');
  for (const error of errors as unknown[]) {
    if (!isJson(error) || typeof error.message !== 'string')
      throw new Wrong('an error says nothing');
    const code = isJson(error.extensions) ? error.extensions.code : undefined;
    if (!codes.has(String(code)))
      throw new Wrong(`an error has the code ${code}: ${error.message}`);
  }
}

/** A root field that was answered. */
export interface Root {
  readonly name: string;
  readonly value: unknown;
}

function judgeData({ body }: Draft, data: unknown): readonly Root[] {
  const sent: unknown = JSON.parse(new TextDecoder().decode(body));
  if (!isJson(sent) || typeof sent.query !== 'string')
    throw new Wrong('there is data without a query');
  const document = parse(sent.query);
  const [fault] = validate(schema, document);
  if (fault) throw new Wrong(`data for an invalid document: ${fault.message}`);
  const name = typeof sent.operationName === 'string' ? sent.operationName : undefined;
  const operation = getOperationAST(document, name || undefined);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) throw new Wrong('data for no operation');
  const judge = new Judge(document);
  judge.object(type, [operation.selectionSet], data, 'data');
  const variables = isJson(sent.variables) ? sent.variables : {};
  for (const node of operation.selectionSet.selections) {
    if (node.kind === Kind.FIELD && isJson(data)) judgeEcho(node, variables, data);
  }
  return judge.roots(operation.selectionSet, isJson(data) ? data : {});
}

/** `custom_attributes` come back as they were sent, in variables, in literals or in both. */
function judgeEcho(
  { name, alias, arguments: given, selectionSet }: FieldNode,
  variables: Json,
  data: Json,
) {
  const input = given?.find((argument) => argument.name.value === 'input');
  // What is selected beneath a record is read after it was written, with what others wrote since.
  const isAlone = selectionSet?.selections.every(
    (node) => node.kind === Kind.FIELD && !node.selectionSet,
  );
  if (!input || !isAlone) return;
  const sent = plain(valueFromASTUntyped(input.value, variables));
  const shown = plain(data[alias?.value ?? name.value]);
  if (!isJson(sent) || !isJson(sent.custom_attributes) || !isJson(shown)) return;
  if (!isJson(shown.custom_attributes)) return;
  if (!isDeepStrictEqual(sent.custom_attributes, shown.custom_attributes)) {
    throw new Wrong('custom_attributes come back altered');
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  Boolean: (value) => typeof value === 'boolean',
  DateTime: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  Float: (value) => typeof value === 'number',
  Int: (value) => Number.isInteger(value),
  Integer: (value) => Number.isSafeInteger(value),
  JSONObject: isJson,
  JSONValue: (value) => typeof value !== 'object',
  String: (value) => typeof value === 'string',
};

/** What is selected under one name of an answer. */
interface Selected {
  readonly nodes: FieldNode[];
  /** Whether a directive may leave it out. */
  optional: boolean;
}

class Judge {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
  }

  object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], value: unknown, at: string) {
    if (!isJson(value)) throw new Wrong(`${at} is no object`);
    const selected = this.#selected(sets);
    const more = Object.keys(value).find((key) => !selected.has(key));
    if (more !== undefined) throw new Wrong(`${at} has a field that was not selected`);
    for (const [key, { nodes, optional }] of selected) {
      if (!Object.hasOwn(value, key)) {
        if (optional) continue;
        throw new Wrong(`${at} lacks the field ${key}`);
      }
      const name = nodes[0]?.name.value ?? '';
      // What describes the schema is graphql-js's own.
      if (name.startsWith('__') && name !== TypeNameMetaFieldDef.name) continue;
      const field = name.startsWith('__') ? TypeNameMetaFieldDef : type.getFields()[name];
      if (!field) throw new Wrong(`${type.name} has no ${name}`);
      const below = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
      this.#value(field.type, below, value[key], `${at === 'data' ? '' : type.name}.${name}`);
    }
  }

  roots(set: SelectionSetNode, data: Json): Root[] {
    return [...this.#selected([set])].map(([key, { nodes }]) => ({
      name: nodes[0]?.name.value ?? '',
      value: data[key],
    }));
  }

  #value(given: GraphQLOutputType, sets: readonly SelectionSetNode[], value: unknown, at: string) {
    const type = isNonNullType(given) ? given.ofType : given;
    if (value === null) {
      if (isNonNullType(given)) throw new Wrong(`${at} is null`);
      return;
    }
    if (isListType(type)) {
      if (!Array.isArray(value)) throw new Wrong(`${at} is no list`);
      for (const one of value as unknown[]) this.#value(type.ofType, sets, one, at);
    } else if (isObjectType(type)) this.object(type, sets, value, at);
    else if (isEnumType(type)) {
      if (!type.getValue(String(value))) throw new Wrong(`${at} is not among its values`);
    } else if (!scalars[getNamedType(type).name]?.(value)) {
      throw new Wrong(`${at} is no ${getNamedType(type).name}`);
    }
  }

  #selected(
    sets: readonly SelectionSetNode[],
    optional = false,
    found = new Map<string, Selected>(),
  ): ReadonlyMap<string, Selected> {
    for (const node of sets.flatMap(({ selections }) => selections)) {
      const left = optional || (node.directives?.length ?? 0) > 0;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        const known = found.get(key) ?? { nodes: [], optional: true };
        known.nodes.push(node);
        known.optional &&= left;
        found.set(key, known);
        continue;
      }
      const opened =
        node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
      if (opened) this.#selected([opened.selectionSet], left, found);
    }
    return found;
  }
}
