/** What a route takes and answers. All texts come from the schema; no route is known here. */
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  GraphQLNonNull,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isScalarType,
  Kind,
} from 'graphql';
import { rightOf } from '../../auth/policy.ts';
import { schema as contract } from '../../graphql/schema.ts';
import { mergePatch } from '../../http/body.ts';
import { countHeader, cursorHeader, matchHeader, nextHeader } from '../cursor.ts';
import { locationOf } from '../location.ts';
import { hasParts, inputOf, operations, rootField, showsRecord } from '../operations.ts';
import { isWrite, type Route } from '../routes.ts';
import { Answers, events, type SelectedType } from './answers.ts';
import { Bodies, type Purpose } from './bodies.ts';
import { exportAs } from './export.ts';
import {
  aboutFields,
  cursorAsked,
  headerReferences,
  ifNoneMatch,
  lastEventId,
  preconditions,
  replayed,
} from './headers.ts';
import { chosenFields, idempotencyKey, placeIn, prefer, urlArguments } from './parameters.ts';
import { type Components, oneLine, type Schema, type SchemaWithExample } from './schema.ts';
import { pageParameters, type SearchInput, searchInput } from './searches.ts';
import { changesRecord, refusalsOf } from './statuses.ts';

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What a request carries. */
interface RequestParts {
  readonly body?: SchemaWithExample;
  /** Several, by name, in place of the body's own. */
  readonly examples?: Schema;
  readonly parameters: readonly Schema[];
}

/** A row of the route table, by the schema and its stored operation. */
export class Operation {
  readonly #row: Route;
  readonly #components: Components;
  readonly #field: GraphQLField<unknown, unknown>;
  readonly #answers: Answers;
  readonly #root: SelectedType;

  constructor(row: Route, components: Components) {
    const document = operations.get(row.operation);
    if (!document) throw new Error(`no operation is stored for ${row.operation}`);
    this.#row = row;
    this.#components = components;
    this.#field = rootField(row.operation).field;
    this.#answers = new Answers(document, components, pascal(row.operation), row.omitsNull);
    // A refusal is an answer of its own: what is answered otherwise is never null.
    const type = new GraphQLNonNull(getNullableType(this.#field.type));
    this.#root = { type, sets: rootSets(document, row.operation) };
  }

  /** What the record is that the operation is about, by the schema. */
  get recordDescription(): string {
    const fields = this.#answers.fields(this.#root);
    const record = [...fields.values()].find(({ sets }) => sets.length > 0);
    const own = [...fields.values()].some(({ field }) => field === 'account_id');
    const type = getNamedType(own || !record ? this.#root.type : record.type);
    return type.description ?? '';
  }

  /**
   * The row, or an alias of it, as an operation of the document.
   * @param path as the document writes it
   */
  as(route: Route, path: string): Schema {
    const [summary = '', ...more] = oneLine(this.#field.description ?? '').split(/\.\s+/);
    const { body, examples, parameters: own } = this.#request(route, path);
    const parameters = isWrite(route) ? [...own, idempotencyKey] : own;
    return {
      summary: `${summary.replace(/\.$/, '')}${route === this.#row ? '' : ` (as ${this.#row.method} does)`}`,
      ...(more.length > 0 ? { description: more.join('. ') } : {}),
      security: [{ bearer: [rightOf(route.action).scope].filter((scope) => scope !== null) }],
      parameters: hasParts(route) ? [...parameters, chosenFields(route.operation)] : parameters,
      ...(body && { requestBody: requestBody(route, body, examples) }),
      responses: { ...this.#successes(), ...refusalsOf(route) },
    };
  }

  /** The export of what the row searches. */
  exported(route: Route, path: string): Schema {
    return exportAs(route, this.#search().query, placeIn(path));
  }

  #search(): SearchInput {
    const { description } = this.#argument('query');
    const { operation } = this.#row;
    const text = oneLine(description ?? '');
    return searchInput(operation, pascal(operation), text, this.#components);
  }

  #request(route: Route, path: string): RequestParts {
    const place = placeIn(path);
    if (route.body === 'input') {
      const bodies = new Bodies(this.#components, inputNamed);
      const purpose = purposes[Object.keys(this.#successes()).join()] ?? 'upsert';
      return {
        body: bodies.object(inputNamed(this.#argument('input').name), purpose),
        parameters: [...place, prefer, ...(changesRecord(route) ? preconditions : [])],
      };
    }
    if (route.body === 'batch') {
      const inputs = Object.entries(route.records ?? {}).map(([operation, of]) => {
        const type = inputOf(of);
        if (!type) throw new Error(`${of} takes no input`);
        return [operation, inputNamed(type)] as const;
      });
      const body = new Bodies(this.#components, inputNamed).batch(pascal(route.operation), inputs);
      return { body, parameters: [...place, prefer] };
    }
    if (route.body !== 'search') {
      const followed = route.isFollowed ? [lastEventId] : [];
      const known = isConditional(route)
        ? [ifNoneMatch]
        : changesRecord(route)
          ? preconditions
          : [];
      const own = isWrite(route) ? [prefer] : [];
      return { parameters: [...place, ...urlArguments(this.#row), ...own, ...followed, ...known] };
    }
    const search = this.#search();
    if (route.method !== 'GET') {
      const { body, examples } = search;
      return { body, examples, parameters: [...place, ...pageParameters, cursorAsked] };
    }
    const query = { name: 'query', in: 'query', style: 'deepObject', explode: true };
    const { schema, example } = search.query;
    return {
      parameters: [...place, { ...query, schema, example }, ...pageParameters, cursorAsked],
    };
  }

  /** The type of an argument of the root field. */
  #argument(name: string): GraphQLNamedType {
    const argument = this.#field.args.find((each) => each.name === name);
    if (!argument) throw new Error(`${this.#row.operation} takes no ${name}`);
    return getNamedType(argument.type);
  }

  /** What an answer of a status holds. */
  #describe(status: number, selected: SelectedType | undefined): string {
    if (!selected) return 'It is gone. The answer has no body.';
    const { name } = getNamedType(selected.type);
    const record = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
    if (this.#row.isFollowed) return 'What changed behind the cursor, and from where to go on.';
    if (this.#row.body === 'batch') return 'What became of each record.';
    if (name.endsWith('Page')) return 'A page of what was found, and where it stands.';
    if (status === 201) return `The ${record}, created.`;
    return this.#row.method === 'GET' ? `The ${record}.` : `The ${record}, changed.`;
  }

  /**
   * The row's answers, found by giving it payloads: each flag of a payload may lead to another
   * status.
   */
  #successes(): Readonly<Record<string, Schema>> {
    const fields = this.#answers.fields(this.#root);
    const successes: Record<string, Schema> = {};
    for (const flag of [false, true]) {
      const payload: Readonly<Record<string, unknown>> = Object.fromEntries(
        [...fields].map(([name, { type }]) => [name, isFlag(type) ? flag : { name }]),
      );
      const { status, body } = this.#row.answer(payload);
      const part = [...fields].find(([name]) => payload[name] === body)?.[1];
      const { flattens, omitsNull } = this.#row;
      const selected = body === payload || flattens || omitsNull ? this.#root : part;
      if ((selected === undefined) !== (body === undefined)) {
        throw new Error(`${this.#row.operation} answers with what is no part of its payload`);
      }
      successes[String(status)] = {
        description: this.#describe(status, selected),
        headers: headerReferences(headersOf(this.#row, status)),
        ...(selected && {
          content: {
            ...content(
              flattens
                ? this.#answers.opened(selected, flattens)
                : this.#answers.describe(selected),
            ).content,
            ...(this.#row.isFollowed && events),
          },
        }),
      };
    }
    if (!isConditional(this.#row)) return successes;
    const description = 'The answer is the one that `If-None-Match` names. It has no body.';
    return { ...successes, 304: { description, headers: headerReferences(['ETag']) } };
  }
}

const searchHeaders = [nextHeader, countHeader, matchHeader, cursorHeader];

const headersOf = (route: Route, status: number): readonly string[] => [
  ...(route.body === 'search' ? searchHeaders : []),
  ...(route.body === 'input' || route.body === 'batch' ? aboutFields : []),
  ...(isWrite(route) ? [replayed] : []),
  ...(showsRecord(route) ? ['ETag'] : []),
  ...(status === 201 && locationOf(route) !== undefined ? ['Location'] : []),
];

const isConditional = (route: Route): boolean => route.method === 'GET' && showsRecord(route);

const isFlag = (type: SelectedType['type']): boolean => {
  const named = getNamedType(type);
  return isScalarType(named) && named.name === 'Boolean';
};

/** What a record is sent for, by the statuses of what may become of it. */
const purposes: Readonly<Record<string, Purpose>> = { 201: 'create', 200: 'update' };

const content = ({ schema, example }: SchemaWithExample, examples?: Schema) => ({
  content: { 'application/json': { schema, ...(examples ? { examples } : { example }) } },
});

/** What a route takes; PATCH as a merge patch, too. */
function requestBody({ method }: Route, body: SchemaWithExample, examples?: Schema): Schema {
  const { content: types } = content(body, examples);
  if (method !== 'PATCH') return { content: types };
  return { content: { ...types, [mergePatch]: types['application/json'] } };
}

function rootSets(document: DocumentNode, operation: string): SelectedType['sets'] {
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    return definition.selectionSet.selections.flatMap((node) =>
      node.kind === Kind.FIELD && node.name.value === operation && node.selectionSet
        ? [node.selectionSet]
        : [],
    );
  });
}

function inputNamed(name: string): GraphQLInputObjectType {
  const type = contract.getType(name);
  if (isInputObjectType(type)) return type;
  throw new Error(`the schema has no input ${name}`);
}
